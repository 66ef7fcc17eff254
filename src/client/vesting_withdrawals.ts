import { parseAmount } from './amounts.ts';
import { secondsText, toSeconds } from './chain_time.ts';
import type { Operation } from './transaction.ts';

/** An entry of a history, as far as withdrawals are concerned. */
interface Entry {
  readonly timestamp: string;
  readonly op: Operation;
}

/** A running withdrawal as the account shows it, in millionths of vesting shares. */
export interface Withdrawal {
  readonly rate: bigint;
  readonly total: bigint;
  /** The part that is paid. */
  readonly withdrawn: bigint;
  /** All shares that the account has: no more can be paid. */
  readonly shares: bigint;
  /** When the next instalment is due. */
  readonly next: string;
}

/** An instalment, paid or to come. */
export interface Instalment {
  readonly time: string;
  /** Vesting shares, in millionths. */
  readonly shares: bigint;
  readonly isPaid: boolean;
}

/** A calendar beyond is cut: genesis may name any number of instalments. */
const MOST_COMING = 400;

/** The instalments to come, worked out as the chain does. */
export function comingInstalments(
  { rate, total, withdrawn, shares, next }: Withdrawal,
  intervalSeconds: number,
): Instalment[] {
  const coming: Instalment[] = [];
  let [paid, left] = [withdrawn, shares];
  if (rate <= 0n) return coming;
  while (paid < total && left > 0n && coming.length < MOST_COMING) {
    const wanted = total - paid < rate ? total % rate : rate;
    const amount = wanted < left ? wanted : left;
    if (amount <= 0n) break;
    const seconds = toSeconds(next) + coming.length * intervalSeconds;
    coming.push({ time: secondsText(seconds), shares: amount, isPaid: false });
    paid += amount;
    left -= amount;
  }
  return coming;
}

/**
 * The instalments of the running withdrawal that are paid, oldest first. The history is given newest first; undefined
 * when it does not reach back to the withdrawal's beginning.
 */
export function paidInstalments(account: string, history: readonly Entry[]): Instalment[] | undefined {
  const begun = history.findIndex(({ op: [kind, body] }) => kind === 'withdraw_vesting' && body.account === account);
  if (begun === -1) return undefined;
  return history
    .slice(0, begun)
    .flatMap(({ timestamp, op: [kind, body] }) =>
      kind === 'fill_vesting_withdraw' && body.from_account === account
        ? [{ time: timestamp, shares: parseAmount(body.withdrawn).millionths, isPaid: true }]
        : [],
    )
    .reverse();
}
