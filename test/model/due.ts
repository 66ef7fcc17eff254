import { byName } from './names.ts';
import type { OwnerHistory, RecoveryRequest } from './records.ts';
import type { State } from './state.ts';
import { DAY } from './values.ts';

// What is due counts at once, even where a block has not come to work it off.

export const OWNER_RECOVERY_SECONDS = 30 * DAY;

/** The recovery request of an account that has not expired. */
export function pendingRequest(state: State, account: string): RecoveryRequest | undefined {
  const request = state.requests.get(account);
  return request === undefined || request.expires <= state.headTime ? undefined : request;
}

/** The former owner authorities of an account that still serve for recovery. */
export function usableHistories(state: State, account: string): OwnerHistory[] {
  return [...state.ownerHistories.values()].filter((entry) => entry.account === account && !isForgotten(state, entry));
}

export const isForgotten = (state: State, { lastValid }: OwnerHistory): boolean =>
  lastValid + OWNER_RECOVERY_SECONDS < state.headTime;

/** Puts a change of the recovery account that is due into force. */
export function applyRecoveryAccount(state: State, account: string): void {
  const change = state.recoveryChanges.get(account);
  if (change === undefined || change.effectiveOn > state.headTime) return;
  state.changeAccount(account, { recoveryAccount: change.recoveryAccount });
  state.recoveryChanges.delete(account);
}

/** The recovery account that is in force. */
export function effectiveRecoveryAccount(state: State, account: string): string {
  const change = state.recoveryChanges.get(account);
  return change !== undefined && change.effectiveOn <= state.headTime
    ? change.recoveryAccount
    : state.account(account).recoveryAccount;
}

/** At most as many of what is due as a block works off. */
export function dueNow<T>(state: State, due: readonly T[]): readonly T[] {
  return due.slice(0, Math.min(due.length, state.rules.duePerBlock));
}

/** Sorts by a number, then by name. */
export function byTimeThenName<T>(time: (row: T) => number, name: (row: T) => string): (a: T, b: T) => number {
  return (a, b) => time(a) - time(b) || byName(name(a), name(b));
}
