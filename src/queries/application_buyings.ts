import { refusals } from '../base/refusal.ts';
import { applications } from '../state/tables/application.ts';
import { isOfApplication } from '../state/deleted_applications.ts';
import { applicationBuyings, type ApplicationBuying } from '../state/tables/application_buying.ts';
import { deletedApplications } from '../state/tables/deleted_application.ts';
import type { Notation } from '../codec/notation.ts';
import type { Bounds, CommittedRows } from '../storage/rows.ts';
import type { TuplePrefix } from '../storage/table.ts';
import { accountName, canonicalName, type AccountName } from '../values/account_name.ts';
import { narrowedCharacter } from '../values/application_name.ts';
import { UINT64_MAX } from '../values/limits.ts';
import type { ReadContext } from './read_context.ts';
import { visibleRows } from './visible_rows.ts';

const refuse = refusals({
  unknown_search_type: {
    text: 'there is no search_type {search_type}; there are {known}',
    lineage: 'false: Unknown search type argument',
  },
});

/** What a search for purchases may refuse. */
export const buyingRefusals = refuse.texts;

type BuyerPrefix = TuplePrefix<readonly [AccountName, bigint]>;
type ApplicationPrefix = TuplePrefix<readonly [bigint, bigint]>;

/** The search: purchases of one buyer or of one application, or all of them; at most `limit`. */
export interface BuyingSearch {
  readonly searchType: string;
  /** A buyer, or the id or name of an application, whose latest purchases come first. Null for all, from the start of the order. */
  readonly of: string | null;
  readonly limit: number;
}

/** The purchases that a search finds, or those of them behind the `last` that it has found before. */
export function findBuyings(
  { rows, notation }: ReadContext,
  { searchType, of, limit }: BuyingSearch,
  last?: ApplicationBuying,
): ApplicationBuying[] {
  if (searchType === 'by_buyer') return byBuyer(rows, of === null ? { limit } : latestOf(accountName.fromJson(of, notation), limit), last);
  if (searchType !== 'by_app_id') return refuse.unknown_search_type({ search_type: searchType, known: ['by_buyer', 'by_app_id'] });
  if (of === null) return byApplication(rows, { limit }, last);
  const id = applicationId(rows, of, notation);
  return id === undefined ? [] : byApplication(rows, latestOf(id, limit), last);
}

function latestOf<V>(value: V, limit: number): Bounds<[V]> {
  return { from: [value], to: [value], reverse: true, limit };
}

function byBuyer(rows: CommittedRows, bounds: Bounds<BuyerPrefix>, last: ApplicationBuying | undefined): ApplicationBuying[] {
  const positionOf = ({ buyer, id }: ApplicationBuying): [AccountName, bigint] => [buyer, id];
  return visibleRows<BuyerPrefix, ApplicationBuying>(last === undefined ? bounds : { ...bounds, after: positionOf(last) }, {
    walk: (stretch) => rows.range(applicationBuyings.by_buyer, stretch),
    positionOf,
    isVisible: (buying) => isOfApplication(rows, buying),
  });
}

function byApplication(rows: CommittedRows, bounds: Bounds<ApplicationPrefix>, last: ApplicationBuying | undefined): ApplicationBuying[] {
  const positionOf = ({ app_id, id }: ApplicationBuying): [bigint, bigint] => [app_id, id];
  const [only] = bounds.to ?? [];
  // The purchases of a deleted application are only waiting to be removed.
  if (only !== undefined && rows.get(deletedApplications, only) !== undefined) return [];
  return visibleRows<ApplicationPrefix, ApplicationBuying>(last === undefined ? bounds : { ...bounds, after: positionOf(last) }, {
    walk: (stretch) => rows.range(applicationBuyings.by_app_id, stretch),
    positionOf,
    isVisible: (buying) => isOfApplication(rows, buying),
  });
}

/** Digits are an id, as in the lineage; anything else is a name, as the interface says. */
function applicationId(rows: CommittedRows, text: string, { readsLineage = false }: Notation): bigint | undefined {
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text) <= UINT64_MAX ? BigInt(text) : undefined;
  const name = readsLineage || narrowedCharacter(text) === undefined ? canonicalName(text) : undefined;
  return name === undefined ? undefined : rows.get(applications, name)?.id;
}
