import { refusals } from '../base/refusal.ts';
import { headProperties } from '../state/chain_state.ts';
import { escrowRefusals, isApproved, requireEscrow, requireSameParties, escrowText } from '../state/escrow.ts';
import { requireAccount } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { escrows } from '../state/tables/escrow.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { escrowId } from '../values/escrow_id.ts';
import { operation, paidBody } from './operation.ts';
import { timeText } from '../values/time.ts';

const refuse = refusals({
  disputer_no_party: {
    text: '"who" must be the sender {from} or the receiver {to}, got {given}',
    lineage: 'who must be from or to',
  },
  dispute_too_late: {
    text: 'escrow {escrow} expired at {expiration}, and it is {head_time} on the chain',
    lineage: 'Disputing the escrow must happen before expiration.',
  },
  escrow_not_approved: {
    text: 'escrow {escrow} is not approved by {to} and {agent} yet, so there is nothing to dispute',
    lineage: 'The escrow must be approved by all parties before a dispute can be raised.',
  },
  disputed_already: { text: 'escrow {escrow} is disputed already', lineage: 'The escrow is already under dispute.' },
});

/** Disputes an escrow, so that only its agent can decide. */
export const escrowDispute = operation({
  name: 'escrow_dispute',
  doc: 'Leaves the decision over an approved escrow to its agent alone.',
  fields: paidBody({
    fee: asset,
    from: accountName,
    to: accountName,
    agent: accountName,
    who: accountName,
    escrow_id: escrowId,
  }),
  refuses: { texts: { ...escrowRefusals, ...refuse.texts } },
  feeAccount: (body) => body.who,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.who] }),
  impacts: (body) => [body.from, body.to, body.agent],

  validate({ who, from, to }) {
    if (who !== from && who !== to) refuse.disputer_no_party({ from, to, given: who });
  },

  apply(body, state) {
    refuseInPrivateNet(state);
    requireAccount(state.rows, body.from);
    const escrow = requireEscrow(state, body);
    const { time } = headProperties(state);
    const { escrow_expiration, to, agent } = escrow;
    if (time >= escrow_expiration) {
      refuse.dispute_too_late({
        escrow: escrowText(escrow),
        expiration: timeText(escrow_expiration),
        head_time: timeText(time),
      });
    }
    if (!isApproved(escrow)) refuse.escrow_not_approved({ escrow: escrowText(escrow), to, agent });
    if (escrow.disputed) refuse.disputed_already({ escrow: escrowText(escrow) });
    requireSameParties(escrow, body);
    state.rows.put(escrows, { ...escrow, disputed: true });
  },
});
