import { refusals } from '../base/refusal.ts';
import { applications } from '../state/tables/application.ts';
import { isOfApplication } from '../state/deleted_applications.ts';
import { applicationBuyings, type ApplicationBuying } from '../state/tables/application_buying.ts';
import { deletedApplications } from '../state/tables/deleted_application.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { TuplePrefix } from '../storage/table.ts';
import { canonicalName, type AccountName } from '../values/account_name.ts';
import { UINT64_MAX } from '../values/limits.ts';
import { visibleRows } from './visible_rows.ts';

const refuse = refusals({
  unknown_search_type: 'false: Unknown search type argument',
  bad_account_name: 'not an account name: {start}',
});

/** What a search for buyings may refuse. */
export const buyingRefusals = refuse.texts;

/** The latest buyings first, `limit` at the most; `start` is a buyer, or the id or the name of an application. */
export function buyingsOf(rows: CommittedRows, searchType: string, start: string, limit: number): ApplicationBuying[] {
  if (searchType === 'by_buyer') {
    const buyer = canonicalName(start) ?? refuse.bad_account_name({ start });
    return visibleRows<TuplePrefix<readonly [AccountName, bigint]>, ApplicationBuying>(
      { from: [buyer], to: [buyer], reverse: true, limit },
      {
        walk: (bounds) => rows.range(applicationBuyings.by_buyer, bounds),
        positionOf: ({ id }) => [buyer, id],
        isVisible: (buying) => isOfApplication(rows, buying),
      },
    );
  }
  if (searchType !== 'by_app_id') return refuse.unknown_search_type({ search_type: searchType });
  const id = applicationId(rows, start);
  const isGone = id === undefined || rows.get(deletedApplications, id) !== undefined;
  return isGone ? [] : rows.range(applicationBuyings.by_app_id, { from: [id], to: [id], reverse: true, limit });
}

/** Digits are an id, as with the original; anything else a name, as the interface says. */
function applicationId(rows: CommittedRows, text: string): bigint | undefined {
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text) <= UINT64_MAX ? BigInt(text) : undefined;
  const name = canonicalName(text);
  return name === undefined ? undefined : rows.get(applications, name)?.id;
}
