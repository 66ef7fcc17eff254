import type { ChainState } from '../../state/chain_state.ts';
import { hasLapsed, refundEscrow } from '../../state/escrow.ts';
import { escrows } from '../../state/tables/escrow.ts';

/**
 * Refunds escrows that were not approved by both in time, up to the number that a block may process
 * (chain_rules.md#unratified-escrows).
 */
export function expireEscrows(state: ChainState): void {
  for (let left = state.parameters.rules.due_per_block; left > 0; left--) {
    const escrow = state.rows.first(escrows.by_ratification_deadline);
    if (escrow === undefined || !hasLapsed(state, escrow)) return;
    refundEscrow(state, escrow);
  }
}
