import { nearby } from '../base/nearest.ts';
import type { Method, Methods } from './method.ts';

/** The methods served, and the group whose methods can be called by their bare names. */
interface Served {
  readonly methods: Methods<Method<never>>;
  readonly bareNamesOf: string;
}

/** A method that a mistyped name may have meant: one of the same name in another group, or of nearly the same name. */
export function nearMethod({ methods, bareNamesOf }: Served, name: string): string | undefined {
  const names = [...methods.keys()];
  if (!name.includes('.')) {
    const group = `${bareNamesOf}.`;
    return nearby(
      name,
      names.map((known) => (known.startsWith(group) ? known.slice(group.length) : known)),
    );
  }
  const bare = name.slice(name.indexOf('.'));
  return names.find((known) => known.endsWith(bare)) ?? nearby(name, names);
}
