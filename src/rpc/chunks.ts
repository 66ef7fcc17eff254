import type { Call } from './services.ts';

/** As many of the largest accounts take about a millisecond. */
const AT_ONCE = 16;

/** A list that is read a few items at a time. Each chunk is from one block; all together may be from several. */
export class Chunks<Item> {
  readonly #take: () => readonly Item[] | undefined;
  /** True if an item may be in the list several times. */
  readonly repeats: boolean;

  constructor(take: () => readonly Item[] | undefined, repeats = false) {
    this.#take = take;
    this.repeats = repeats;
  }

  /** The next few items; undefined at the end. */
  take(): readonly Item[] | undefined {
    return this.#take();
  }

  /** Maps the items a few at a time; undefined leaves one out. */
  map<Other>(turn: (items: readonly Item[]) => readonly (Other | undefined)[]): Chunks<Other> {
    return new Chunks(() => {
      const items = this.#take();
      return items && turn(items).filter((other) => other !== undefined);
    });
  }
}

/** A value that is known once the list beside it has been read. */
export class AfterList<T> {
  readonly #value: () => T;

  constructor(value: () => T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value();
  }
}

/** A value whose JSON text is made a piece at a time. */
export class Pieces {
  readonly #pieces: Iterator<string, undefined>;

  constructor(pieces: Iterator<string, undefined>) {
    this.#pieces = pieces;
  }

  /** The next part of the text; undefined at the end. */
  next(): string | undefined {
    const next: IteratorResult<string, undefined> = this.#pieces.next();
    return next.value;
  }
}

/**
 * The items of these keys, in order. `itemsOf` finds one for each of a few keys, undefined where there is none; a key
 * that is given twice is looked up once.
 */
export function inChunks<Key, Item>(
  { rows }: Pick<Call, 'rows'>,
  keys: readonly Key[],
  itemsOf: (keys: readonly Key[]) => readonly (Item | undefined)[],
  atOnce = AT_ONCE,
): Chunks<Item> {
  const distinct = new Set(keys);
  const repeats = distinct.size < keys.length;
  const known = new Map<Key, Item | undefined>();
  const find = (some: readonly Key[]): readonly (Item | undefined)[] => rows.consistentRead(() => itemsOf(some));
  const findOnce = (some: readonly Key[]): readonly (Item | undefined)[] => {
    const others = [...new Set(some)].filter((key) => !known.has(key));
    for (const [k, item] of find(others).entries()) {
      const key = others[k];
      if (key !== undefined) known.set(key, item);
    }
    return some.map((key) => known.get(key));
  };
  let next = 0;
  const take = (): readonly Item[] | undefined => {
    if (next >= keys.length) return undefined;
    const some = keys.slice(next, next + atOnce);
    next += atOnce;
    return (repeats ? findOnce(some) : find(some)).filter((item) => item !== undefined);
  };
  return new Chunks(take, repeats);
}

/**
 * The items of a paged list: `readPage` reads the page after the last item so far. It reads one even where none is
 * asked for, because it refuses what no page can be read from.
 */
export function inPages<Item>(
  { rows }: Pick<Call, 'rows'>,
  limit: number,
  pageFrom: (last: Item | undefined, limit: number) => readonly Item[],
  atOnce = AT_ONCE,
): Chunks<Item> {
  let left: number | undefined;
  let last: Item | undefined;
  return new Chunks(() => {
    if (left === 0) return undefined;
    const most = Math.min(left ?? limit, atOnce);
    const page = rows.consistentRead(() => pageFrom(last, Math.max(1, most)));
    if (most === 0) {
      left = 0;
      return undefined;
    }
    last = page.at(-1);
    left = page.length === 0 ? 0 : (left ?? limit) - page.length;
    return page;
  });
}

/**
 * The same with the cursor of the next page: what `cursorOf` says of the first item behind this page. Null where
 * nothing is behind it.
 */
export function inPagesWithCursor<Item, Cursor>(
  call: Pick<Call, 'rows'>,
  limit: number,
  pageFrom: (last: Item | undefined, limit: number) => readonly Item[],
  cursorOf: (next: Item) => Cursor,
): { readonly items: Chunks<Item>; readonly cursor: AfterList<Cursor | null> } {
  let last: Item | undefined;
  const items = inPages<Item>(call, limit, (before, most) => {
    const page = pageFrom(before, most);
    last = page.at(-1) ?? last;
    return page;
  });
  const cursor = new AfterList(() => {
    const [next] = call.rows.consistentRead(() => pageFrom(last, 1));
    return next === undefined ? null : cursorOf(next);
  });
  return { items, cursor };
}

/**
 * Accounts with all accepted transactions applied, asked of the writer a few at a time, so that it can produce blocks
 * in between.
 */
export async function pendingInChunks(
  { intake }: Pick<Call, 'intake'>,
  names: readonly string[],
): Promise<Map<string, Awaited<ReturnType<Call['intake']['pendingAccounts']>>[number]>> {
  const distinct = [...new Set(names)];
  const found = new Map<string, Awaited<ReturnType<Call['intake']['pendingAccounts']>>[number]>();
  for (let first = 0; first < distinct.length; first += AT_ONCE) {
    const some = distinct.slice(first, first + AT_ONCE);
    for (const [k, rows] of (await intake.pendingAccounts(some)).entries()) found.set(some[k] ?? '', rows);
  }
  return found;
}
