import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** COIN that an account was paid for what it held. */
export const interest = virtualOperation({
  name: 'interest',
  doc: 'COIN that an account was paid for what it held.',
  fields: struct({ owner: accountName, interest: asset }),
  impacts: (body) => [body.owner],
});
