import { textByteCount } from '../codec/bytes.ts';
import { orderedSet } from '../codec/collections.ts';
import { u64 } from '../codec/primitives.ts';
import { storeDocuments } from '../state/documents.ts';
import { accountName, compareNames } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { jsonTextRefusals, requireJson } from '../values/json_text.ts';
import { sentText } from '../values/limited_text.ts';
import { operation, paidBody } from './operation.ts';

/** Sends a JSON document to accounts. */
export const customJson = operation({
  name: 'custom_json',
  doc: 'Sends a JSON document of an application to any number of accounts, which need not exist.',
  fields: paidBody({
    fee: asset,
    sender: accountName,
    recipients: orderedSet(accountName, compareNames),
    app_id: u64,
    json: sentText,
  }),
  refuses: { texts: jsonTextRefusals },
  feeAccount: (body) => body.sender,
  feeRule: (body) => ({ payloadBytes: textByteCount(body.json) }),
  authorities: (body) => ({ active: [body.sender] }),
  impacts: (body) => [body.sender],

  validate({ json }) {
    requireJson(json);
  },

  apply({ sender, recipients, app_id, json }, state) {
    storeDocuments(state, { app_id, sender, recipients, binary: false, payload: json });
  },
});
