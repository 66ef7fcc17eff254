import { refusals } from '../base/refusal.ts';
import { trueByDefault } from '../codec/primitives.ts';
import { adjustBalance } from '../state/balance.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import {
  escrowRefusals,
  hasLapsed,
  isApproved,
  refundEscrow,
  requireEscrow,
  requireSameParties,
  escrowText,
} from '../state/escrow.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { escrows, type Escrow } from '../state/tables/escrow.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { escrowId } from '../values/escrow_id.ts';
import { operation, paidBody } from './operation.ts';
import { timeText } from '../values/time.ts';

const refuse = refusals({
  approver_no_party: {
    text: '"who" must be the receiver {to} or the agent {agent}, got {given}',
    lineage: 'to or agent must approve escrow',
  },
  ratification_over: {
    text: 'escrow {escrow} had to be approved by {deadline}, and it is {head_time} on the chain',
    lineage: 'The escrow ratification deadline has passed-> Escrow can no longer be ratified->',
  },
  to_approved_already: {
    text: 'the receiver {to} has approved escrow {escrow} already',
    lineage: "Account 'to' ({to}) has already approved the escrow.",
  },
  agent_approved_already: {
    text: 'the agent {agent} has approved escrow {escrow} already',
    lineage: "Account 'agent' ({agent}) has already approved the escrow.",
  },
});

/** Approves or rejects an escrow. The second approval pays the agent; a rejection refunds everything. */
export const escrowApprove = operation({
  name: 'escrow_approve',
  doc: 'Agrees to a proposed escrow, or rejects it, which gives everything back to its sender. An approval stands.',
  fields: paidBody({
    fee: asset,
    from: accountName,
    to: accountName,
    agent: accountName,
    who: accountName,
    escrow_id: escrowId,
    approve: trueByDefault,
  }),
  refuses: { texts: { ...escrowRefusals, ...refuse.texts } },
  feeAccount: (body) => body.who,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.who] }),
  impacts: (body) => [body.from, body.to, body.agent],

  validate({ who, to, agent }) {
    if (who !== to && who !== agent) refuse.approver_no_party({ to, agent, given: who });
  },

  apply(body, state) {
    refuseInPrivateNet(state);
    const escrow = requireEscrow(state, body);
    requireSameParties(escrow, body);
    // At the deadline itself a block has refunded it, or soon will, unless both have approved.
    const isBehindDeadline = escrow.ratification_deadline < headProperties(state).time;
    if (isBehindDeadline || hasLapsed(state, escrow)) refuseLate(state, escrow);
    const approved = approveEscrow(escrow, body.who);
    if (!body.approve) {
      refundEscrow(state, escrow);
    } else if (isApproved(approved)) {
      adjustBalance(state, escrow.agent, escrow.pending_fee);
      state.rows.put(escrows, { ...approved, pending_fee: 0n });
    } else {
      state.rows.put(escrows, approved);
    }
  },
});

function refuseLate(state: ChainState, escrow: Escrow): never {
  const [deadline, head_time] = [timeText(escrow.ratification_deadline), timeText(headProperties(state).time)];
  return refuse.ratification_over({ escrow: escrowText(escrow), deadline, head_time });
}

/** The escrow with one more approval; refused if that party has already approved. */
function approveEscrow(escrow: Escrow, who: AccountName): Escrow {
  if (who === escrow.to) {
    if (escrow.to_approved) refuse.to_approved_already({ to: escrow.to, escrow: escrowText(escrow) });
    return { ...escrow, to_approved: true };
  }
  if (escrow.agent_approved) refuse.agent_approved_already({ agent: escrow.agent, escrow: escrowText(escrow) });
  return { ...escrow, agent_approved: true };
}
