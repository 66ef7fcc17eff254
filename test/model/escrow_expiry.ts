import { dueNow } from './due.ts';
import { refundEscrow } from './operations/escrows.ts';
import type { State } from './state.ts';

/** chain_rules.md#unratified-escrows: escrows that not everybody approved in time go back. */
export function expireEscrows(state: State): void {
  const due = [...state.escrows.values()]
    .filter(({ toApproved, agentApproved, deadline }) => !(toApproved && agentApproved) && deadline <= state.headTime)
    .sort((a, b) => a.deadline - b.deadline || a.id - b.id);
  for (const escrow of dueNow(state, due)) refundEscrow(state, escrow);
}
