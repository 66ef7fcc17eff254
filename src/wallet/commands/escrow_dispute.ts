import { u32 } from '../../codec/primitives.ts';
import { escrowDispute } from '../../operations/escrow_dispute.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Calls on the agent of an escrow to decide. */
export const escrowDisputeCommand = transactionCommand({
  name: 'escrow_dispute',
  doc: 'Calls on the agent of an escrow to decide.',
  params: { from: chainName, to: chainName, agent: chainName, who: chainName, escrow_id: u32 },
  example: 'escrow_dispute alice bob carol alice 1 true',
  makes: escrowDispute,
  operation: (values, { fee }) => escrowDispute.of({ fee, ...values }),
});
