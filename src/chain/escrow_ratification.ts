import { headOf, type ChainState } from '../state/chain_state.ts';
import { isApproved, refundEscrow } from '../state/escrow.ts';
import { escrows } from '../state/tables/escrow.ts';

/** Gives back what was put in escrow and not approved by both in time (chain.md 11.3). */
export function expireEscrows(state: ChainState): void {
  const { time } = headOf(state);
  for (;;) {
    const escrow = state.rows.first(escrows.by_ratification_deadline);
    if (escrow === undefined || isApproved(escrow) || escrow.ratification_deadline > time) return;
    refundEscrow(state, escrow);
  }
}
