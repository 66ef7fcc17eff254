import { sortedUnique } from '../../codec/collections.ts';
import { text, u64 } from '../../codec/primitives.ts';
import { customJson } from '../../operations/custom_json.ts';
import { compareNames } from '../../values/account_name.ts';
import { transactionCommand } from '../command.ts';
import { chainName, chainNames } from '../params.ts';

/** Sends a JSON document to accounts. */
export const sendCustomJsonDocumentCommand = transactionCommand({
  name: 'send_custom_json_document',
  doc: 'Sends a JSON document to accounts.',
  params: { app_id: u64, from: chainName, to: chainNames, json: text },
  example: 'send_custom_json_document 1 alice [bob] \'{"hello":1}\' true',
  makes: customJson,
  operation: ({ app_id, from: sender, to, json }, { fee }) =>
    customJson.of({ fee, sender, recipients: sortedUnique(to, compareNames), app_id, json }),
});
