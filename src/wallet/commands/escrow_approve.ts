import { bool, u32 } from '../../codec/primitives.ts';
import { escrowApprove } from '../../operations/escrow_approve.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Agrees to an escrow, or rejects it. */
export const escrowApproveCommand = transactionCommand({
  name: 'escrow_approve',
  doc: 'Agrees to an escrow, or rejects it.',
  params: { from: chainName, to: chainName, agent: chainName, who: chainName, escrow_id: u32, approve: bool },
  example: 'escrow_approve alice bob carol bob 1 true true',
  makes: escrowApprove,
  operation: (values, { fee }) => escrowApprove.of({ fee, ...values }),
});
