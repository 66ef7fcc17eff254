import { orderedSet } from '../codec/collections.ts';
import { u64 } from '../codec/primitives.ts';
import { storeDocuments } from '../state/documents.ts';
import { accountName, compareNames } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { sentBytes } from '../values/limited_text.ts';
import { operation, paidBody } from './operation.ts';

/** Sends a binary document to accounts. */
export const customBinary = operation({
  name: 'custom_binary',
  doc: 'Sends a document of bytes of an application to any number of accounts, which need not exist.',
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

  apply({ sender, recipients, app_id, data }, state) {
    storeDocuments(state, { app_id, sender, recipients, binary: true, payload: data });
  },
});
