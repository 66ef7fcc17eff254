import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import { withDefault } from '../codec/collections.ts';
import { u32 } from '../codec/primitives.ts';
import type { AccountName } from '../values/account_name.ts';
import { adjustBalance } from './balance.ts';
import { headOf, type ChainState } from './chain_state.ts';
import { requireRow } from './lookups.ts';
import { escrows, type Escrow } from './tables/escrow.ts';

/** The number that a sender gives an escrow; 30 in an operation that says none, as in the lineage. */
export const escrowId: Codec<number> = withDefault(u32, 30);

/** How an operation names an escrow, and who it believes the parties to be. */
export interface EscrowReference {
  readonly from: AccountName;
  readonly to: AccountName;
  readonly agent: AccountName;
  readonly escrow_id: number;
}

// The lineage left its first placeholder unfilled, and its clients know the text so.
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

/** The texts of the checks here, for the operations that call them. */
export const escrowRefusals = refuse.texts;

/** The escrow that the sender gave this number. */
export function requireEscrow(state: ChainState, { from, escrow_id }: EscrowReference): Escrow {
  return requireRow(state.rows, escrows, { from, escrow_id }, escrowText({ from, escrow_id }));
}

/** An escrow as refusals name it: whose it is and which of his. */
export function escrowText({ from, escrow_id }: Pick<EscrowReference, 'from' | 'escrow_id'>): string {
  return `${from}/${escrow_id}`;
}

/** Not both have approved, and the time for it is over: it waits for a block to give it back. */
export function hasLapsed(state: ChainState, escrow: Escrow): boolean {
  return !isApproved(escrow) && escrow.ratification_deadline <= headOf(state).time;
}

/** Refuses an operation that takes the escrow to have other parties. */
export function requireSameParties(escrow: Escrow, { to, agent }: EscrowReference): void {
  if (escrow.to !== to) refuse.escrow_to_differs({ escrow: escrowText(escrow), given: to, to: escrow.to });
  if (escrow.agent !== agent) refuse.escrow_agent_differs({ escrow: escrowText(escrow), given: agent, agent: escrow.agent });
}

/** Agent and receiver both agreed. */
export function isApproved(escrow: Escrow): boolean {
  return escrow.to_approved && escrow.agent_approved;
}

/** Gives amount and pending fee back to the sender and forgets the escrow: it was rejected, or not approved in time. */
export function refundEscrow(state: ChainState, escrow: Escrow): void {
  adjustBalance(state, escrow.from, escrow.coin_balance + escrow.pending_fee);
  state.rows.remove(escrows, { from: escrow.from, escrow_id: escrow.escrow_id });
}
