import { refusals } from '../base/refusal.ts';
import { u64, enumeration } from '../codec/primitives.ts';
import { applications } from '../state/tables/application.ts';
import { isOfApplication } from '../state/deleted_applications.ts';
import { applicationBuyings, type ApplicationBuying } from '../state/tables/application_buying.ts';
import { deletedApplications } from '../state/tables/deleted_application.ts';
import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { integerSchema } from '../codec/schemas.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { Bounds, CommittedRows } from '../storage/rows.ts';
import type { TuplePrefix } from '../storage/table.ts';
import { accountName, canonicalName, type AccountName } from '../values/account_name.ts';
import { narrowedCharacter } from '../values/application_name.ts';
import { UINT64_MAX } from '../values/limits.ts';
import { startText } from './documents.ts';
import type { ReadContext } from './read_context.ts';
import { visibleRows } from './visible_rows.ts';

const refuse = refusals({
  unknown_search_type: {
    text: 'there is no search_type {search_type}; there are {known}',
    lineage: 'false: Unknown search type argument',
  },
});

/** Searches go by buyer or by application. */
export const buyingSearchType = enumeration('by_buyer', 'by_app_id');

const LONGEST_SUBJECT = 256; // of a name with the zeros behind it

/** A buyer, or the id or the name of an application. */
export const buyingSubject: Codec<string, string> = {
  ...startText,
  fromJson(json, encoding) {
    if (typeof json !== 'string') return String(u64.fromJson(json, encoding));
    return json.length > LONGEST_SUBJECT ? mismatch(`at most ${LONGEST_SUBJECT} characters`, json) : json;
  },
  describe: ({ describesGiven = false }) =>
    describesGiven
      ? { anyOf: [integerSchema(0n, UINT64_MAX), { type: 'string', maxLength: LONGEST_SUBJECT }] }
      : { type: 'string' },
};

/** The refusals of a search for purchases. */
export const buyingRefusals = refuse.texts;

type BuyerPrefix = TuplePrefix<readonly [AccountName, bigint]>;
type ApplicationPrefix = TuplePrefix<readonly [bigint, bigint]>;

/** The search: purchases of one buyer or of one application, or all of them; at most `limit`. */
export interface BuyingSearch {
  readonly searchType: string;
  /**
   * A buyer, or the id or name of an application, whose latest purchases come first. Null for all, from the start of
   * the order.
   */
  readonly of: string | null;
  readonly limit: number;
  /** The start of the page; undefined for the first page. */
  readonly position?: BuyingPosition | undefined;
}

/** The place of a purchase in an order: its buyer or application, and its id. */
export interface BuyingPosition {
  readonly of: string;
  readonly id: bigint;
}

/** A place as a client sent it. */
export function readPosition(
  searchType: string,
  { of, id }: BuyingPosition,
  encoding: EncodingOptions,
): BuyingPosition {
  const value = searchType === 'by_buyer' ? accountName.fromJson(of, encoding) : String(u64.fromJson(of, encoding));
  return { of: value, id: u64.fromJson(String(id), encoding) };
}

/** The place of a purchase in the order of a search type. */
export function listPosition(searchType: string, { buyer, app_id, id }: ApplicationBuying): BuyingPosition {
  return { of: searchType === 'by_buyer' ? buyer : String(app_id), id };
}

/** The purchases that a search finds, or those of them behind the `last` that it has found before. */
export function findBuyings(
  { rows, encoding }: ReadContext,
  { searchType, of, limit, position }: BuyingSearch,
  last?: ApplicationBuying,
): ApplicationBuying[] {
  if (searchType === 'by_buyer') {
    if (of === null) return byBuyer(rows, boundsOfAll(position && [position.of, position.id], limit), last);
    return byBuyer(rows, boundsOfLatest(accountName.fromJson(of, encoding), limit, position), last);
  }
  if (searchType !== 'by_app_id')
    return refuse.unknown_search_type({ search_type: searchType, known: ['by_buyer', 'by_app_id'] });
  if (of === null) return byApplication(rows, boundsOfAll(position && [BigInt(position.of), position.id], limit), last);
  const id = applicationId(rows, of, encoding);
  return id === undefined ? [] : byApplication(rows, boundsOfLatest(id, limit, position), last);
}

function boundsOfAll<V>(from: [V, bigint] | undefined, limit: number): Bounds<[V] | [V, bigint]> {
  return from === undefined ? { limit } : { from, limit };
}

function boundsOfLatest<V>(value: V, limit: number, position: BuyingPosition | undefined): Bounds<[V] | [V, bigint]> {
  return { from: [value], to: position === undefined ? [value] : [value, position.id], reverse: true, limit };
}

function byBuyer(
  rows: CommittedRows,
  bounds: Bounds<BuyerPrefix>,
  last: ApplicationBuying | undefined,
): ApplicationBuying[] {
  const applicationPosition = ({ buyer, id }: ApplicationBuying): [AccountName, bigint] => [buyer, id];
  return visibleRows<BuyerPrefix, ApplicationBuying>(
    last === undefined ? bounds : { ...bounds, after: applicationPosition(last) },
    {
      walk: (stretch) => rows.range(applicationBuyings.by_buyer, stretch),
      positionOf: applicationPosition,
      isVisible: (buying) => isOfApplication(rows, buying),
    },
  );
}

function byApplication(
  rows: CommittedRows,
  bounds: Bounds<ApplicationPrefix>,
  last: ApplicationBuying | undefined,
): ApplicationBuying[] {
  const buyerPosition = ({ app_id, id }: ApplicationBuying): [bigint, bigint] => [app_id, id];
  const [only] = bounds.to ?? [];
  // The purchases of a deleted application are only waiting to be removed.
  if (only !== undefined && rows.get(deletedApplications, only) !== undefined) return [];
  return visibleRows<ApplicationPrefix, ApplicationBuying>(
    last === undefined ? bounds : { ...bounds, after: buyerPosition(last) },
    {
      walk: (stretch) => rows.range(applicationBuyings.by_app_id, stretch),
      positionOf: buyerPosition,
      isVisible: (buying) => isOfApplication(rows, buying),
    },
  );
}

/** Digits are an id, as in the lineage; anything else is a name, as the interface says. */
function applicationId(
  rows: CommittedRows,
  text: string,
  { readsLineage = false }: EncodingOptions,
): bigint | undefined {
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text) <= UINT64_MAX ? BigInt(text) : undefined;
  const name = readsLineage || narrowedCharacter(text) === undefined ? canonicalName(text) : undefined;
  return name === undefined ? undefined : rows.get(applications, name)?.id;
}
