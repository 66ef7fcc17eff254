import { withdrawVesting } from '../../operations/withdraw_vesting.ts';
import { asset } from '../../values/asset.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Turns vesting shares back into coins, in the instalments of the chain; 0 stops a withdrawal. */
export const withdrawVestingCommand = transactionCommand({
  name: 'withdraw_vesting',
  doc: 'Turns vesting shares back into coins, in equal instalments, whose number and interval the chain sets; get_account shows how many are left and when the next is due. 0 stops a withdrawal.',
  params: { from: chainName, vesting_shares: asset },
  example: 'withdraw_vesting alice "100 VESTS" true',
  makes: withdrawVesting,
  operation: ({ from: account, vesting_shares }, { fee }) => withdrawVesting.of({ fee, account, vesting_shares }),
});
