import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { assetSymbol } from '../../values/asset.ts';
import { price } from '../../values/price.ts';
import type { FeedHistory } from '../../state/tables/feed_history.ts';

/** Median prices of the coin in one fiat symbol, oldest first; the row is the record. */
export const feedHistoryRecord = struct({
  id: u64,
  symbol: assetSymbol,
  current_median_history: price,
  price_history: vector(price),
});

/** The same in the form of alexandria_api, which gives every symbol the id 0. */
export const feedPriceRecord = struct({
  id: u64,
  current_median_price: price,
  price_history: vector(price),
});

export type FeedPriceRecord = ValueOf<typeof feedPriceRecord>;

export function makeFeedPriceRecord({
  current_median_history: current_median_price,
  price_history,
}: FeedHistory): FeedPriceRecord {
  return { id: 0n, current_median_price, price_history };
}
