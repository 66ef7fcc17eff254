import { orderedSet } from '../codec/collections.ts';
import { u64 } from '../codec/primitives.ts';
import { accountName, compareNames } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { sentBytes } from '../values/limited_text.ts';
import { operation, paidBody } from './operation.ts';

/** Puts bytes on the chain that are not searchable: charges the fee and changes nothing else. */
export const custom = operation({
  name: 'custom',
  doc: 'Puts bytes on the chain. It costs its fee and leaves no document; it can be found in the history of the sender.',
  fields: paidBody({
    fee: asset,
    sender: accountName,
    recipients: orderedSet(accountName, compareNames),
    app_id: u64,
    data: sentBytes,
  }),
  feeAccount: (body) => body.sender,
  feeRule: (body) => ({ payloadBytes: body.data.length / 2 }),
  authorities: (body) => ({ active: [body.sender] }),
  impacts: (body) => [body.sender],
  apply() {},
});
