import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** COIN paid from the promotion pool to an account. */
export const promotionPoolWithdraw = virtualOperation({
  name: 'promotion_pool_withdraw',
  doc: 'COIN that left the promotion pool for an account.',
  fields: struct({ to_account: accountName, withdrawn: asset }),
  impacts: (body) => [body.to_account],
});
