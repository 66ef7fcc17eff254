import { text, u32 } from '../../codec/primitives.ts';
import { escrowTransfer } from '../../operations/escrow_transfer.ts';
import { asset } from '../../values/asset.ts';
import { time } from '../../values/time.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Puts an amount aside until its receiver and an agent have agreed. */
export const escrowTransferCommand = transactionCommand({
  name: 'escrow_transfer',
  doc: 'Puts an amount aside until its receiver and an agent have agreed.',
  params: {
    from: chainName,
    to: chainName,
    agent: chainName,
    escrow_id: u32,
    coin_amount: asset,
    escrow_fee: asset,
    ratification_deadline: time,
    escrow_expiration: time,
    json_meta: text,
  },
  example: 'escrow_transfer alice bob carol 1 "10 COIN" "0.1 COIN" 2026-12-01T00:00:00 2027-01-01T00:00:00 "" true',
  makes: escrowTransfer,
  operation: (values, { fee }) => escrowTransfer.of({ fee, ...values }),
});
