import { refusals } from '../base/refusal.ts';
import type { RowReader } from '../storage/rows.ts';
import { feedHistories, type FeedHistory } from '../state/tables/feed_history.ts';
import type { AssetSymbol } from '../values/asset.ts';

const refuse = refusals({ symbol_history_not_found: 'fh_itr != fh_idx.end(): Symbol history not found' });

/** What looking up a price may refuse. */
export const feedRefusals = refuse.texts;

/** The prices of the coin in one fiat symbol. */
export function requireFeed(rows: RowReader, symbol: AssetSymbol): FeedHistory {
  return rows.get(feedHistories, symbol) ?? refuse.symbol_history_not_found({ symbol });
}
