import { u32 } from '../../codec/primitives.ts';
import { escrowRelease } from '../../operations/escrow_release.ts';
import { asset } from '../../values/asset.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Pays out of an escrow. */
export const escrowReleaseCommand = transactionCommand({
  name: 'escrow_release',
  doc: 'Pays out of an escrow.',
  params: {
    from: chainName,
    to: chainName,
    agent: chainName,
    who: chainName,
    receiver: chainName,
    escrow_id: u32,
    coin_amount: asset,
  },
  example: 'escrow_release alice bob carol alice bob 1 "10 COIN" true',
  makes: escrowRelease,
  operation: (values, { fee }) => escrowRelease.of({ fee, ...values }),
});
