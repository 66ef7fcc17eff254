import type { Account } from './records.ts';
import type { State } from './state.ts';

// chain_rules.md#vesting-lock: what came in by transfer_to_vesting is locked, in buckets.

const BUCKETS = 12;

/** Adds vested coins to the bucket of the present time. */
export function lockVested(state: State, name: string, amount: bigint): void {
  const { minimumVestingSeconds } = state.parameters;
  if (minimumVestingSeconds === 0) return;
  const bucket = Math.floor(state.headTime / Math.ceil(minimumVestingSeconds / BUCKETS));
  const buckets = new Map(state.account(name).buckets);
  buckets.set(bucket, { sum: (buckets.get(bucket)?.sum ?? 0n) + amount, latest: state.headTime });
  state.changeAccount(name, { buckets });
}

export const isLocked = (state: State, latest: number): boolean =>
  latest + state.parameters.minimumVestingSeconds > state.headTime;

export function lockedShares(state: State, { buckets }: Account): bigint {
  return [...buckets.values()]
    .filter(({ latest }) => isLocked(state, latest))
    .reduce((sum, bucket) => sum + bucket.sum, 0n);
}
