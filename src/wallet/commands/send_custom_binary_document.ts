import { sortedUnique } from '../../codec/collections.ts';
import { u64 } from '../../codec/primitives.ts';
import { customBinary } from '../../operations/custom_binary.ts';
import { compareNames } from '../../values/account_name.ts';
import { base64Data } from '../../values/base64_data.ts';
import { transactionCommand } from '../command.ts';
import { chainName, chainNames } from '../params.ts';

/** Sends a binary document, given as base64, to accounts. */
export const sendCustomBinaryDocumentCommand = transactionCommand({
  name: 'send_custom_binary_document',
  doc: 'Sends a binary document, given as base64, to accounts.',
  params: { app_id: u64, from: chainName, to: chainNames, data: base64Data },
  example: 'send_custom_binary_document 1 alice [bob] "aGVsbG8=" true',
  makes: customBinary,
  operation: ({ app_id, from: sender, to, data }, { fee }) =>
    customBinary.of({
      fee,
      sender,
      recipients: sortedUnique(to, compareNames),
      app_id,
      data: Buffer.from(data).toString('hex'),
    }),
});
