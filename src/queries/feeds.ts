import { refusals } from '../base/refusal.ts';
import type { RowReader } from '../storage/rows.ts';
import { feedHistories, type FeedHistory } from '../state/tables/feed_history.ts';
import { symbolCodec, type AssetSymbol } from '../values/asset.ts';
import { fiatSymbols } from '../values/profile.ts';

/** The refusals of looking up a price. */
export const refuseFeed = refusals({
  symbol_history_not_found: {
    text: 'there are no prices in {symbol}; there are those in {known}',
    lineage: 'fh_itr != fh_idx.end(): Symbol history not found',
  },
  no_current_feed: {
    text: 'the witnesses have not agreed on a price of {symbol} yet',
    lineage: 'no current feed for this symbol',
  },
});
const { symbol_history_not_found } = refuseFeed.texts;

/** The symbol of a fiat currency that has prices. */
export const feedSymbol = symbolCodec(() => fiatSymbols);

/** The refusals of methods that look up the prices of a symbol, and of those that need its current price. */
export const feedRefusals = { symbol_history_not_found };
export const currentFeedRefusals = refuseFeed.texts;

/** The prices of the coin in one fiat symbol. */
export function requireFeed(rows: RowReader, symbol: AssetSymbol): FeedHistory {
  return rows.get(feedHistories, symbol) ?? refuseFeed.symbol_history_not_found({ symbol, known: fiatSymbols });
}
