import type { Call } from './services.ts';

/** Of the largest accounts, so many take about a millisecond. */
const AT_ONCE = 16;

/** The items of a list that are found a few at a time; each few are of one block, all together may be of several. */
export class Slices<Item> {
  readonly #take: () => readonly Item[] | undefined;

  constructor(take: () => readonly Item[] | undefined) {
    this.#take = take;
  }

  /** The next few items; undefined at the end. */
  take(): readonly Item[] | undefined {
    return this.#take();
  }
}

/** The items that `itemsOf` finds for the keys, in their order: as many for each as it returns. */
export function inSlices<Key, Item>(
  { rows }: Pick<Call, 'rows'>,
  keys: readonly Key[],
  itemsOf: (keys: readonly Key[]) => readonly Item[],
  atOnce = AT_ONCE,
): Slices<Item> {
  let next = 0;
  return new Slices(() => {
    if (next >= keys.length) return undefined;
    const some = keys.slice(next, next + atOnce);
    next += atOnce;
    return rows.consistentRead(() => itemsOf(some));
  });
}
