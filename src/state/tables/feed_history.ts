import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { textKey } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { assetSymbol } from '../../values/asset.ts';
import { price } from '../../values/price.ts';

const row = struct({
  id: u64,
  symbol: assetSymbol,
  current_median_history: price,
  price_history: vector(price),
});

export type FeedHistory = ValueOf<typeof row>;

/** Median prices of the coin in one fiat symbol, oldest first. */
export const feedHistories = table({
  name: 'feed_history',
  value: row,
  key: { symbol: textKey },
});
