import type { RowReader } from '../storage/rows.ts';
import type { ChainState } from './chain_state.ts';
import { applications, type Application } from './tables/application.ts';
import { applicationBuyings, type ApplicationBuying } from './tables/application_buying.ts';
import { deletedApplications } from './tables/deleted_application.ts';

// The number of purchases that a block removes. This is not visible on the chain: no operation can reach the purchases
// of a deleted application.
const BUYINGS_PER_BLOCK = 100;

/** Returns whether the purchased application still exists. */
export function isOfApplication(rows: RowReader, { app_id }: ApplicationBuying): boolean {
  return rows.get(deletedApplications, app_id) === undefined;
}

/** Deletes an application at once, and leaves its purchases, of which there may be any number, to later blocks. */
export function deleteApplication({ rows }: ChainState, { id, name }: Application): void {
  rows.remove(applications, name);
  rows.put(deletedApplications, { app_id: id });
}

/** Removes some purchases of deleted applications. */
export function removeDeletedBuyings({ rows }: ChainState): void {
  for (let left = BUYINGS_PER_BLOCK; left > 0;) {
    const deleted = rows.first(deletedApplications.by_id);
    if (deleted === undefined) return;
    const { app_id } = deleted;
    const buyings = rows.range(applicationBuyings.by_app_id, { from: [app_id], to: [app_id], limit: left });
    for (const { buyer } of buyings) rows.remove(applicationBuyings, { buyer, app_id });
    if (buyings.length < left) rows.remove(deletedApplications, app_id);
    left -= Math.max(buyings.length, 1);
  }
}
