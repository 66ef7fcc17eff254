import { feedHistories } from '../../src/state/tables/feed_history.ts';
import type { Ledger } from './ledger.ts';

/** Sets the median price of the coin in a fiat currency: in millionths of it for one COIN; 0 for no price. */
export function setMedian(ledger: Ledger, symbol: string, amount: bigint): void {
  const { coinSymbol } = ledger.parameters;
  const none = { base: ledger.coins(0n), quote: ledger.coins(0n) };
  const median = { base: { amount: 1_000_000n, symbol: coinSymbol }, quote: { amount, symbol } };
  ledger.change(({ rows }) =>
    rows.put(feedHistories, {
      id: 0n,
      symbol,
      current_median_history: amount === 0n ? none : median,
      price_history: [],
    }),
  );
}
