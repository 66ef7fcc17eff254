import { vector } from '../../codec/collections.ts';
import { operationCodec } from '../../operations/index.ts';
import { command } from '../command.ts';
import { buildTransaction, transactionRefusals } from '../build_transaction.ts';
import { showPreview } from '../transaction_preview.ts';
import { shownTransaction } from '../transaction_json.ts';
import { tellOfAuthorities } from '../warn_of_authorities.ts';
import { chainSymbols } from '../wallet.ts';

/** Makes a transaction of any operations without signing it: to be signed by others, or on a machine without a node. */
export const buildTransactionCommand = command({
  name: 'build_transaction',
  doc: 'Makes a transaction of any operations without signing it: to be signed by others, or on a machine without a node.',
  params: { operations: vector(operationCodec) },
  example: 'build_transaction [["transfer",{"from":"alice","to":"bob","amount":"1 COIN","memo":""}]]',
  refuses: transactionRefusals,
  handler: async ({ operations }, wallet) => {
    const built = await buildTransaction(wallet, operations);
    // Others sign it.
    await showPreview(wallet, built, []);
    await tellOfAuthorities(wallet, operations);
    return shownTransaction(built, await chainSymbols(wallet));
  },
});
