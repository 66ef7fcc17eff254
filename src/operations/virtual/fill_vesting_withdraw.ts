import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** One instalment of a withdrawal: vesting shares converted to COIN. */
export const fillVestingWithdraw = virtualOperation({
  name: 'fill_vesting_withdraw',
  doc: 'One instalment of a withdrawal: vesting shares that became COIN.',
  fields: struct({ from_account: accountName, to_account: accountName, withdrawn: asset, deposited: asset }),
  impacts: (body) => [body.from_account, body.to_account],
});
