import { methodDoc, type Method, type Methods } from '../method.ts';
import { gethelp } from './gethelp.ts';
import { help } from './help.ts';

/**
 * Methods of the legacy dialect only: they have no group, and describe `group`, whose methods are called by their bare
 * names.
 */
export function legacy(all: () => Methods, group: string): readonly Method[] {
  return [
    gethelp((name, parameters) => {
      const method = all().get(`${group}.${name}`);
      return method === undefined ? undefined : `${usage(method)}\n${methodDoc(method, parameters)}`;
    }),
    help(() => [...all().values()].filter((method) => method.group === group).map(usage)),
  ];
}

/** Name and params in one line, as shown by `help`. */
export function usage({ name, group, paramNames }: Method): string {
  return `${name.slice(group.length + 1)}(${paramNames.join(', ')})`;
}
