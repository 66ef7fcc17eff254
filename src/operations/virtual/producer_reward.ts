import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** Vesting shares that a witness received for its block; 0 before rewards begin. */
export const producerReward = virtualOperation({
  name: 'producer_reward',
  doc: 'Vesting shares that a witness got for its block; 0 before rewards begin.',
  fields: struct({ producer: accountName, vesting_shares: asset }),
  impacts: (body) => [body.producer],
});
