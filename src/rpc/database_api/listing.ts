import { present } from '../../base/assert.ts';
import { refusals } from '../../base/refusal.ts';
import type { Codec } from '../../codec/codec.ts';
import { pair } from '../../codec/collections.ts';
import type { Json } from '../../codec/json.ts';
import { inMember, mismatch } from '../../codec/decode_error.ts';
import { speaksLineage, type Notation } from '../../codec/notation.ts';
import { u32 } from '../../codec/primitives.ts';
import type { Bounds, CommittedRows } from '../../storage/rows.ts';
import type { Index, Table, TuplePrefix } from '../../storage/table.ts';
import type { AccountName } from '../../values/account_name.ts';
import { anyJson } from '../../jsonrpc/any_json.ts';
import { pageRefusals, requirePage } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';
import type { Call } from '../services.ts';
import { inPages, inChunks, type Chunks } from '../chunks.ts';

const refuse = refusals({
  unsupported_order: {
    text: 'this list has no order {order}; it has {known}',
    lineage: 'false: Unknown or unsupported sort order',
  },
});

/** What a list may refuse. */
export const listRefusals = { ...pageRefusals, ...refuse.texts };

/** The lineage's orders by position, which are accepted in place of the words (rpc.md 4.1). */
const forwardOrders = `by_name by_id by_proxy by_next_vesting_withdrawal by_account by_expiration by_effective_date by_vote_name
  by_schedule_time by_account_witness by_witness_account by_from_id by_ratification_deadline by_withdraw_route by_destination
  by_complete_from_id by_to_complete by_account_expiration by_price by_author by_buyer_app by_app_id`.split(/\s+/);
const REVERSE = '_reverse';
const orderNames = [...forwardOrders, 'by_balance', ...forwardOrders.map((name) => name + REVERSE)];

/** A word or its position; a list accepts only some of them, and names those when it refuses another word. */
const orderName: Codec<string, string> = {
  write: (out, value) => out.text(value),
  read: (input) => input.text(),
  toJson: (value) => value,
  fromJson: (json, notation) => {
    const name = typeof json === 'number' ? orderNames[json] : orderNames.find((known) => known === json);
    if (name !== undefined) return name;
    return typeof json === 'string' && !speaksLineage(notation) ? json : mismatch('an order such as by_name', json);
  },
  initial: () => FIRST,
  describe: () => ({ type: 'string', enum: orderNames }),
};

/** Stands for the first order of a list. */
const FIRST = 'by_name';

/** The params of every list. `start` is included in the page; null is the beginning, or the end for a reverse order. */
export const listParams = {
  start: coded(anyJson, {
    default: null,
    description: 'where the page starts, itself included; its form depends on the order; null for the beginning',
  }),
  limit: coded(u32, { description: 'at most 1000' }),
  order: coded(orderName, { default: FIRST }),
};

/** The range of a walk that begins at a prefix: upwards from it, or down from the last row that does not sort after it. */
type Stretch = <P>(start: P) => Bounds<P>;

/** The rows of an order, which is a table's or that of an index. */
export interface Walk<Prefix, Row> {
  rows(rows: CommittedRows, bounds: Bounds<Prefix>): Row[];
  /** Where the walk goes on behind a row. */
  positionOf(row: Row): Prefix;
}

/** The rows of a table in the order of their names. */
export function byNames<Row>(table: Table<AccountName, Row>): Walk<AccountName, Row> {
  return { rows: (rows, bounds) => rows.rows(table, bounds), positionOf: (row) => table.keyOf(row) };
}

/** The rows in the order of an index. */
export function along<T extends readonly unknown[], Row>(index: Index<T, Row>): Walk<TuplePrefix<T>, Row> {
  return { rows: (rows, bounds) => rows.range(index, bounds), positionOf: (row) => present(index.of(row), 'a tuple') };
}

/** How a page of one order is read. */
interface Way<Row> {
  readonly reversible: boolean;
  /** The walk is descending even when the reverse order is not requested. */
  readonly descending: boolean;
  /** The order doesn't tell all rows apart, so a page of it is read at once. */
  readonly isWhole: boolean;
  /** `start` is undefined for the whole order, whose range `stretch` knows; `last` is the row behind which the walk goes on. */
  page(rows: CommittedRows, start: Json | undefined, notation: Notation, stretch: Stretch, last: Row | undefined): Row[];
}

/** The orders of a list by name, without the reverse ones. */
export type Ways<Row> = Readonly<Record<string, Way<Row>>>;

/** An order whose `start` is one value; null stands for its initial value. `prefixOf` says where the walk begins for it. */
export function bySingle<V, Prefix, Row>(
  start: Pick<Codec<V>, 'fromJson' | 'initial'>,
  walk: Walk<Prefix, Row>,
  prefixOf: (value: V, rows: CommittedRows) => NoInfer<Prefix>,
): Way<Row> {
  return {
    ...asDeclared,
    page: (rows, json = null, notation, stretch, last) =>
      goOn(rows, walk, stretch(prefixOf(json === null ? start.initial(notation) : start.fromJson(json, notation), rows)), last),
  };
}

/** An order whose `start` is a list of two values; `form` describes it in the refusal of anything else. */
export function byPair<A, B, Prefix, Row>(
  start: readonly [Codec<A>, Codec<B>],
  form: string,
  walk: Walk<Prefix, Row>,
  prefixOf: (pair: [A, B], rows: CommittedRows) => NoInfer<Prefix>,
): Way<Row> {
  const values = pair(...start);
  return {
    ...asDeclared,
    page(rows, json, notation, stretch, last) {
      if (json !== undefined && (!Array.isArray(json) || json.length !== 2)) mismatch(`two values, ${form},`, json);
      const [a, b] = json === undefined ? values.initial(notation) : values.fromJson(json, notation);
      return goOn(rows, walk, stretch(prefixOf([a, b], rows)), last);
    },
  };
}

const asDeclared = { reversible: true, descending: false, isWhole: false };

function goOn<Prefix, Row>(rows: CommittedRows, walk: Walk<Prefix, Row>, bounds: Bounds<Prefix>, last: Row | undefined): Row[] {
  return walk.rows(rows, last === undefined ? bounds : { ...bounds, after: walk.positionOf(last) });
}

/** The same order, of which each page is read at once. */
export function atOnce<Row>(way: Way<Row>): Way<Row> {
  return { ...way, isWhole: true };
}

/** The same order from the largest value down, without a reverse form. */
export function descendingOnly<Row>(way: Way<Row>): Way<Row> {
  return { ...way, reversible: false, descending: true };
}

/** The same order without its reverse form. */
export function forwardOnly<Row>(way: Way<Row>): Way<Row> {
  return { ...way, reversible: false };
}

/** One page of a list in the requested order. */
export function page<Row>(
  ways: Ways<Row>,
  { start, limit, order }: { readonly start: Json; readonly limit: number; readonly order: string },
  call: Call,
): Chunks<Row> {
  const { notation } = call;
  requirePage(limit, notation);
  const reverse = order.endsWith(REVERSE);
  const way = wayOf(ways, reverse ? order.slice(0, -REVERSE.length) : order, notation);
  if (way === undefined || (reverse && !way.reversible)) return refuseOrder(order, ordersOf(ways));
  const down = reverse || way.descending;
  // For the lineage, null was the initial value: for two values there is none, and descending from it gives nothing.
  const isWhole = start === null && !speaksLineage(notation);
  const pageFrom = (last: Row | undefined, most: number): Row[] => {
    const stretch: Stretch = (from) =>
      isWhole ? { reverse: down, limit: most } : down ? { to: from, reverse: true, limit: most } : { from, limit: most };
    const read = (): Row[] => way.page(call.rows, isWhole ? undefined : start, notation, stretch, last);
    return isWhole ? read() : inMember('start', read);
  };
  return way.isWhole ? inChunks(call, pageFrom(undefined, limit), (some) => some) : inPages(call, limit, pageFrom);
}

/** A word that is no order at all is a typing error; others are orders of other lists. */
function refuseOrder(order: string, known: readonly string[]): never {
  if (orderNames.includes(order)) refuse.unsupported_order({ order, known });
  return inMember('order', () => mismatch(`one of ${known.join(', ')}`, order));
}

function ordersOf<Row>(ways: Ways<Row>): string[] {
  return Object.entries(ways).flatMap(([name, { reversible }]) => (reversible ? [name, name + REVERSE] : name));
}

/** The order of that name; by_name is the first order of every list that has no order by that name. */
function wayOf<Row>(ways: Ways<Row>, name: string, notation: Notation): Way<Row> | undefined {
  if (Object.hasOwn(ways, name)) return ways[name];
  return name === FIRST && !speaksLineage(notation) ? Object.values(ways)[0] : undefined;
}
