import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import { adjustBalance } from './balance.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { requireRow } from './lookups.ts';
import { escrows, type Escrow } from './tables/escrow.ts';

/** An operation's reference to an escrow, with the parties that it expects. */
export interface EscrowReference {
  readonly from: AccountName;
  readonly to: AccountName;
  readonly agent: AccountName;
  readonly escrow_id: number;
}

// The lineage left the first placeholder unfilled, and its clients expect that text.
const AGENT_DIFFERS: string = "Operation 'agent' (${a}) does not match escrow 'agent' ({agent}).";

const refuse = refusals({
  escrow_to_differs: {
    text: 'the operation says that escrow {escrow} goes to {given}, and it goes to {to}',
    lineage: "Operation 'to' ({given}) does not match escrow 'to' ({to}).",
  },
  escrow_agent_differs: {
    text: 'the operation says that the agent of escrow {escrow} is {given}, and it is {agent}',
    lineage: AGENT_DIFFERS,
  },
});

/** The refusals of the checks here, for the operations that call them. */
export const escrowRefusals = refuse.texts;

/** The sender's escrow with this number. */
export function requireEscrow(state: ChainState, { from, escrow_id }: EscrowReference): Escrow {
  return requireRow(state.rows, escrows, { from, escrow_id }, escrowText({ from, escrow_id }));
}

/** An escrow as refusals show it: its sender and its number. */
export function escrowText({ from, escrow_id }: Pick<EscrowReference, 'from' | 'escrow_id'>): string {
  return `${from}/${escrow_id}`;
}

/** Returns whether the deadline has passed without both approvals, so that a block will refund it. */
export function hasLapsed(state: ChainState, escrow: Escrow): boolean {
  return !isApproved(escrow) && escrow.ratification_deadline <= headProperties(state).time;
}

/** Refuses an operation that names other parties than the escrow's. */
export function requireSameParties(escrow: Escrow, { to, agent }: EscrowReference): void {
  if (escrow.to !== to) refuse.escrow_to_differs({ escrow: escrowText(escrow), given: to, to: escrow.to });
  if (escrow.agent !== agent)
    refuse.escrow_agent_differs({ escrow: escrowText(escrow), given: agent, agent: escrow.agent });
}

/** Returns whether agent and receiver have both approved. */
export function isApproved(escrow: Escrow): boolean {
  return escrow.to_approved && escrow.agent_approved;
}

/** Refunds amount and pending fee to the sender and removes the escrow: it was rejected, or not approved in time. */
export function refundEscrow(state: ChainState, escrow: Escrow): void {
  adjustBalance(state, escrow.from, escrow.coin_balance + escrow.pending_fee);
  state.rows.remove(escrows, { from: escrow.from, escrow_id: escrow.escrow_id });
}
