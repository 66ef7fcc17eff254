import { present } from '../../base/assert.ts';
import { refusals } from '../../base/refusal.ts';
import type { Codec, JsonSchema } from '../../codec/codec.ts';
import { describeTuple, pair } from '../../codec/collections.ts';
import type { Json } from '../../codec/json.ts';
import { inMember, mismatch } from '../../codec/decode_error.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { u64 } from '../../codec/primitives.ts';
import { orNull } from '../../codec/schemas.ts';
import type { Bounds, CommittedRows } from '../../storage/rows.ts';
import type { Index, Table, TuplePrefix } from '../../storage/table.ts';
import type { AccountName } from '../../values/account_name.ts';
import { anyJson } from '../../jsonrpc/envelope/any_json.ts';
import { pageLimit, pageRefusals, requirePage } from '../../queries/paging.ts';
import { coded, type TCoded } from '../../jsonrpc/envelope/params.ts';
import type { Call } from '../services.ts';
import { inPages, type Chunks } from '../chunks.ts';

const refuse = refusals({
  unsupported_order: {
    text: 'this list has no order {order}; it has {known}',
    lineage: 'false: Unknown or unsupported sort order',
  },
});

/** Refusals of a list. */
export const listRefusals = { ...pageRefusals, ...refuse.texts };

/** The lineage's orders by position, which are accepted in place of the words (rpc_conventions.md#orders-of-a-list). */
const forwardOrders =
  `by_name by_id by_proxy by_next_vesting_withdrawal by_account by_expiration by_effective_date by_vote_name
  by_schedule_time by_account_witness by_witness_account by_from_id by_ratification_deadline by_withdraw_route by_destination
  by_complete_from_id by_to_complete by_account_expiration by_price by_author by_buyer_app by_app_id`.split(/\s+/);
const REVERSE = '_reverse';
const orderNames = [...forwardOrders, 'by_balance', ...forwardOrders.map((name) => name + REVERSE)];

/** Stands for the first order of a list. */
const FIRST = 'by_name';

/**
 * One of a list's orders as a word, or its position in the lineage's list; the list names its orders when it refuses
 * another word.
 */
function orderCodec<Row>(ways: Ways<Row>): Codec<string, string> {
  const [first] = Object.values(ways);
  const known = [...new Set([FIRST, ...(first?.reversible === true ? [FIRST + REVERSE] : []), ...listOrders(ways)])];
  return {
    write: (out, value) => out.text(value),
    read: (input) => input.text(),
    toJson: (value) => value,
    fromJson: (json, encoding) => {
      const name = typeof json === 'number' ? orderNames[json] : orderNames.find((one) => one === json);
      if (name !== undefined) return name;
      return typeof json === 'string' && !speaksLineage(encoding) ? json : mismatch('an order such as by_name', json);
    },
    initial: () => FIRST,
    describe: ({ describesGiven = false }) =>
      describesGiven
        ? { enum: [...known, ...known.map((name) => orderNames.indexOf(name))] }
        : { type: 'string', enum: known },
  };
}

/** Reads the start of a page, in the form of any of the list's orders. */
function startCodec<Row>(ways: Ways<Row>): Codec<Json, Json> {
  const describe = (encoding: EncodingOptions): JsonSchema => {
    const forms = Object.values(ways).map((way) => way.describeStart(encoding));
    const texts = new Set(forms.map((form) => writeJson(form)));
    const distinct = forms.filter((form) => texts.delete(writeJson(form)));
    return orNull(distinct.length === 1 ? (distinct[0] ?? {}) : { anyOf: distinct });
  };
  return { ...anyJson, describe };
}

/** The params of a list. `start` is included in the page; null is the beginning, or the end for a reverse order. */
export function listParams<Row>(ways: Ways<Row>): {
  readonly start: TCoded<Json, Json> & { readonly default: null };
  readonly limit: TCoded<number, number>;
  readonly order: TCoded<string, string> & { readonly default: string };
} {
  const [first = FIRST] = Object.keys(ways);
  const description =
    first === FIRST
      ? 'in which order, as a word or by its number'
      : `in which order, as a word or by its number; ${FIRST} stands for ${first}`;
  return {
    start: coded(startCodec(ways), {
      default: null,
      description: 'where the page starts, itself included; its form depends on the order; null for the beginning',
    }),
    limit: coded(pageLimit),
    order: coded(orderCodec(ways), { default: FIRST, description }),
  };
}

/**
 * The range of a walk that begins at a prefix: upwards from it, or down from the last row that does not sort after it.
 */
type Stretch = <P>(start: P) => Bounds<P>;

/** The rows of an order, which is a table's or that of an index. */
export interface Walk<Prefix, Row> {
  rows(rows: CommittedRows, bounds: Bounds<Prefix>): Row[];
  /** The position behind a row, at which the next page begins. */
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

/** Reads pages in one order. */
interface Way<Row> {
  readonly reversible: boolean;
  /** The walk is descending even when the reverse order is not requested. */
  readonly descending: boolean;
  /** The forms of `start`, besides null. */
  readonly describeStart: Codec<unknown>['describe'];
  /**
   * `start` is undefined for the whole order, whose range `stretch` knows; `last` is the row behind which the walk goes
   * on.
   */
  page(
    rows: CommittedRows,
    start: Json | undefined,
    encoding: EncodingOptions,
    stretch: Stretch,
    last: Row | undefined,
  ): Row[];
}

/** The orders of a list by name, without the reverse ones. */
export type Ways<Row> = Readonly<Record<string, Way<Row>>>;

/**
 * An order whose `start` is one value; null stands for its initial value. `prefixOf` says where the walk begins for it.
 */
export function bySingle<V, Prefix, Row>(
  start: Pick<Codec<V>, 'fromJson' | 'initial' | 'describe'>,
  walk: Walk<Prefix, Row>,
  prefixOf: (value: V, rows: CommittedRows) => NoInfer<Prefix>,
): Way<Row> {
  return {
    ...asDeclared,
    describeStart: start.describe,
    page: (rows, json = null, encoding, stretch, last) =>
      continueWalk(
        rows,
        walk,
        stretch(prefixOf(json === null ? start.initial(encoding) : start.fromJson(json, encoding), rows)),
        last,
      ),
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
    describeStart: values.describe,
    page(rows, json, encoding, stretch, last) {
      if (json !== undefined && (!Array.isArray(json) || json.length !== 2)) mismatch(`two values, ${form},`, json);
      const [a, b] = json === undefined ? values.initial(encoding) : values.fromJson(json, encoding);
      return continueWalk(rows, walk, stretch(prefixOf([a, b], rows)), last);
    },
  };
}

/** A `start` of one value, or of that and a second one, which tells equal rows apart. The lineage's is one value. */
export function optionalPair<A, B>(
  first: Codec<A>,
  second: Codec<B>,
): Pick<Codec<[A] | [A, B]>, 'fromJson' | 'initial' | 'describe'> {
  const both = pair(first, second);
  const isAlone = (json: Json, encoding: EncodingOptions): boolean => !Array.isArray(json) || speaksLineage(encoding);
  return {
    fromJson: (json, encoding) =>
      isAlone(json, encoding) ? [first.fromJson(json, encoding)] : [...both.fromJson(json, encoding)],
    initial: (encoding) => [first.initial(encoding)],
    describe(encoding) {
      const alone = first.describe(encoding);
      return speaksLineage(encoding) ? alone : { anyOf: [alone, both.describe(encoding)] };
    },
  };
}

/**
 * An order whose `start` may have an id behind its two values, which tells equal rows apart. The lineage's has none.
 */
export function byPairAndId<A, B, Prefix, Row>(
  [first, second]: readonly [Codec<A>, Codec<B>],
  form: string,
  walk: Walk<Prefix, Row>,
  prefixOf: (pair: [A, B], id: bigint | undefined) => NoInfer<Prefix>,
): Way<Row> {
  const withoutId = byPair([first, second], form, walk, (values) => prefixOf(values, undefined));
  return {
    ...withoutId,
    describeStart(encoding) {
      const short = withoutId.describeStart(encoding);
      if (speaksLineage(encoding)) return short;
      return {
        anyOf: [short, describeTuple(first.describe(encoding), second.describe(encoding), u64.describe(encoding))],
      };
    },
    page(rows, json, encoding, stretch, last) {
      if (!Array.isArray(json) || json.length < 3 || speaksLineage(encoding))
        return withoutId.page(rows, json, encoding, stretch, last);
      if (json.length > 3) mismatch(`two values, ${form}, or three, the last one an id,`, json);
      const [a = null, b = null, id = null] = json;
      const place = inMember(2, () => u64.fromJson(id, encoding));
      const from = prefixOf(
        [inMember(0, () => first.fromJson(a, encoding)), inMember(1, () => second.fromJson(b, encoding))],
        place,
      );
      return continueWalk(rows, walk, stretch(from), last);
    },
  };
}

const asDeclared = { reversible: true, descending: false };

function continueWalk<Prefix, Row>(
  rows: CommittedRows,
  walk: Walk<Prefix, Row>,
  bounds: Bounds<Prefix>,
  last: Row | undefined,
): Row[] {
  return walk.rows(rows, last === undefined ? bounds : { ...bounds, after: walk.positionOf(last) });
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
  const { encoding } = call;
  requirePage(limit, encoding);
  const reverse = order.endsWith(REVERSE);
  const way = findWay(ways, reverse ? order.slice(0, -REVERSE.length) : order, encoding);
  if (way === undefined || (reverse && !way.reversible)) return refuseOrder(order, listOrders(ways));
  const down = reverse || way.descending;
  // For the lineage, null was the initial value: for two values there is none, and descending from it gives nothing.
  const isWhole = start === null && !speaksLineage(encoding);
  const readPage = (last: Row | undefined, most: number): Row[] => {
    const stretch: Stretch = (from) =>
      isWhole
        ? { reverse: down, limit: most }
        : down
          ? { to: from, reverse: true, limit: most }
          : { from, limit: most };
    const read = (): Row[] => way.page(call.rows, isWhole ? undefined : start, encoding, stretch, last);
    return isWhole ? read() : inMember('start', read);
  };
  return inPages(call, limit, readPage);
}

/** A word that is no order at all is a typing error; others are orders of other lists. */
function refuseOrder(order: string, known: readonly string[]): never {
  if (orderNames.includes(order)) refuse.unsupported_order({ order, known });
  return inMember('order', () => mismatch(`one of ${known.join(', ')}`, order));
}

function listOrders<Row>(ways: Ways<Row>): string[] {
  return Object.entries(ways).flatMap(([name, { reversible }]) => (reversible ? [name, name + REVERSE] : name));
}

/** The order of that name; by_name is the first order of every list that has no order by that name. */
function findWay<Row>(ways: Ways<Row>, name: string, encoding: EncodingOptions): Way<Row> | undefined {
  if (Object.hasOwn(ways, name)) return ways[name];
  return name === FIRST && !speaksLineage(encoding) ? Object.values(ways)[0] : undefined;
}
