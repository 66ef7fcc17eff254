import { transferToVesting } from '../../operations/transfer_to_vesting.ts';
import { asset } from '../../values/asset.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Turns coins into vesting shares, of the sender or of somebody else. */
export const transferToVestingCommand = transactionCommand({
  name: 'transfer_to_vesting',
  doc: 'Turns coins into vesting shares, of the sender or of somebody else.',
  params: { from: chainName, to: chainName, amount: asset },
  example: 'transfer_to_vesting alice alice "1000 COIN" true',
  makes: transferToVesting,
  operation: ({ from, to, amount }, { fee }) => transferToVesting.of({ fee, from, to: to === from ? '' : to, amount }),
});
