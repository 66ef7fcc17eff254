import { byName } from './names.ts';
import type { VirtualOperation } from './records.ts';
import type { State } from './state.ts';

// chain_rules.md#histories: virtual operations, and whose history an operation enters.

type VirtualBody = VirtualOperation['body'];

const impactedBy: Readonly<Record<string, (body: VirtualBody) => readonly string[]>> = {
  interest: ({ owner }) => [String(owner)],
  fill_vesting_withdraw: ({ from_account, to_account }) => [String(from_account), String(to_account)],
  shutdown_witness: ({ owner }) => [String(owner)],
  hardfork: () => [],
  producer_reward: ({ producer }) => [String(producer)],
  promotion_pool_withdraw: ({ to_account }) => [String(to_account)],
};

/** An operation of the chain itself. Its fee payer is the empty name, so it enters that one's history too. */
export function emitVirtual(state: State, kind: string, body: VirtualBody): void {
  const place = { ...state.single.place, virtual: state.single.place.virtual + 1 };
  state.single.place = place;
  state.virtualOperations.push({ ...place, kind, body, timestamp: state.headTime });
  recordOperation(state, kind, [...(impactedBy[kind]?.(body) ?? []), '']);
}

/** One entry in the history of each account, in the order of names. */
export function recordOperation(state: State, kind: string, accounts: readonly string[]): void {
  const { place } = state.single;
  for (const account of [...new Set(accounts)].sort(byName)) {
    const sequence = (state.sequences.get(account) ?? state.rules.firstSequence - 1) + 1;
    state.sequences.set(account, sequence);
    const virtual = isVirtual(kind) ? place.virtual : 0;
    state.history.push({ ...place, virtual, account, sequence, kind });
  }
}

export const isVirtual = (kind: string): boolean => kind in impactedBy;
