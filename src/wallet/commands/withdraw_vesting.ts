import { withdrawVesting } from '../../operations/withdraw_vesting.ts';
import { asset } from '../../values/asset.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Turns vesting shares back into coins, in 27 daily instalments; 0 stops a withdrawal. */
export const withdrawVestingCommand = transactionCommand({
  name: 'withdraw_vesting',
  doc: 'Turns vesting shares back into coins, in 27 daily instalments; 0 stops a withdrawal.',
  params: { from: chainName, vesting_shares: asset },
  example: 'withdraw_vesting alice "100 VESTS" true',
  operation: ({ from: account, vesting_shares }, { fee }) => withdrawVesting.of({ fee, account, vesting_shares }),
});
