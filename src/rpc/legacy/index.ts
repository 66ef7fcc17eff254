import type { Method, Methods } from '../method.ts';
import { gethelp } from './gethelp.ts';
import { help } from './help.ts';

/** What only the legacy dialect has: methods without a group that tell about `group`, whose bare names are called. */
export function legacy(all: () => Methods, group: string): readonly Method[] {
  return [
    gethelp((name) => {
      const method = all().get(`${group}.${name}`);
      return method === undefined ? undefined : `${usage(method)}\n${method.doc}`;
    }),
    help(() => [...all().values()].filter((method) => method.group === group).map(usage)),
  ];
}

/** Name and params in a line, as `help` shows them. */
export function usage({ name, group, paramNames }: Method): string {
  return `${name.slice(group.length + 1)}(${paramNames.join(', ')})`;
}
