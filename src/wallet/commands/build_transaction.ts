import { vector } from '../../codec/collections.ts';
import { operationCodec } from '../../operations/index.ts';
import { command } from '../command.ts';
import { buildTransaction } from '../build_transaction.ts';
import { showPreview } from '../transaction_preview.ts';
import { shownTransaction } from '../transaction_json.ts';
import { wordsOf } from '../wallet.ts';

/** Makes a transaction of any operations without signing it: to be signed by others, or on a machine without a node. */
export const buildTransactionCommand = command({
  name: 'build_transaction',
  doc: 'Makes a transaction of any operations without signing it: to be signed by others, or on a machine without a node.',
  params: { operations: vector(operationCodec) },
  example: 'build_transaction [["transfer",{"from":"alice","to":"bob","amount":"1 COIN","memo":""}]]',
  handler: async ({ operations }, wallet) => {
    const built = await buildTransaction(wallet, operations);
    // Others sign it.
    await showPreview(wallet, built, []);
    return shownTransaction(built, await wordsOf(wallet));
  },
});
