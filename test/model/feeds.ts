import type { State } from './state.ts';
import { DAY, FIAT, type Fiat, type Price } from './values.ts';

// chain_rules.md#price-feeds.

const OLDEST_SECONDS = 7 * DAY;
const MOST_KEPT = 84;

export function updateFeeds(state: State): void {
  const { blocksPerHour, maxWitnesses } = state.parameters;
  // Where a block takes longer than an hour every block has its own; the lineage would divide by 0.
  if (state.globals.number % Math.max(blocksPerHour, 1) !== 0) return;
  for (const fiat of FIAT) {
    const rates = currentRates(state, fiat).sort(comparePrices);
    const median = rates[Math.floor(rates.length / 2)];
    if (median === undefined || rates.length < Math.floor(maxWitnesses / 10)) continue;
    const history = [...(state.feeds.get(fiat)?.history ?? []), median].slice(-MOST_KEPT);
    state.feeds.set(fiat, { median, history });
  }
}

function currentRates(state: State, fiat: Fiat): Price[] {
  return state.round
    .map((owner) => state.witnesses.get(owner)?.rates.get(fiat))
    .filter((entry) => entry !== undefined && entry.changed + OLDEST_SECONDS > state.headTime)
    .flatMap((entry) => (entry === undefined ? [] : [entry.rate]));
}

/** 2.3: all rates have COIN as their base. */
function comparePrices(a: Price, b: Price): number {
  const [left, right] = [a.base.amount * b.quote.amount, b.base.amount * a.quote.amount];
  return left < right ? -1 : left > right ? 1 : 0;
}
