import type { Operation } from '../../client/index.ts';
import { secondsOf, timeAt } from './words.ts';

/** An entry of a history, as far as withdrawals are concerned. */
interface Entry {
  readonly timestamp: string;
  readonly op: Operation;
}

/** A withdrawal as the account shows it, in millionths of vesting shares. */
export interface Withdrawal {
  readonly account: string;
  readonly rate: number;
  readonly total: number;
}

/** An instalment, paid or to come. */
export interface Instalment {
  readonly time: string;
  /** Vesting shares, in millionths. */
  readonly shares: number;
  readonly isPaid: boolean;
}

/** When the shares of an account are paid out. */
export interface Interval {
  readonly count: number;
  readonly seconds: number;
}

const MILLIONTHS = 1_000_000;

/**
 * The instalments of the running withdrawal: those paid stand in the history, given newest first; those to come follow
 * at their interval. Undefined when the history that is given does not reach back to the withdrawal's beginning.
 */
export function instalments(
  { account, rate, total }: Withdrawal,
  history: readonly Entry[],
  interval: Interval,
): Instalment[] | undefined {
  const begun = history.findIndex(({ op: [kind, body] }) => kind === 'withdraw_vesting' && body.account === account);
  const beginning = history[begun];
  if (beginning === undefined || rate <= 0) return undefined;
  const paid = history
    .slice(0, begun)
    .flatMap(({ timestamp, op: [kind, body] }) =>
      kind === 'fill_vesting_withdraw' && body.from_account === account
        ? [{ time: timestamp, shares: Math.round(Number.parseFloat(body.withdrawn) * MILLIONTHS), isPaid: true }]
        : [],
    )
    .reverse();
  let left = total - paid.reduce((sum, { shares }) => sum + shares, 0);
  const coming: Instalment[] = [];
  const last = paid.at(-1)?.time ?? beginning.timestamp;
  // The lineage rounds instalments down, so there may be nearly twice as many.
  for (let number = 1; left > 0 && paid.length + coming.length < 2 * interval.count; number++) {
    const shares = Math.min(rate, left);
    coming.push({ time: timeAt(secondsOf(last) + number * interval.seconds), shares, isPaid: false });
    left -= shares;
  }
  return [...paid, ...coming];
}
