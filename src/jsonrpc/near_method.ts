import { nearby } from '../base/nearest.ts';
import type { Method, Methods } from './method.ts';

/** The methods that there are, and the group whose methods answer to their bare names. */
interface Served {
  readonly methods: Methods<Method<never>>;
  readonly bareNamesOf: string;
}

/** A method that somebody who mistyped may have meant: of the same name in another group, or of nearly the same. */
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
