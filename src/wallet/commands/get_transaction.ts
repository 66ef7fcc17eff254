import { hash160 } from '../../values/hash.ts';
import { command } from '../command.ts';
import { shownOperations } from '../transaction_json.ts';
import { chainSymbols } from '../wallet.ts';

/** A transaction by its id, and where it stands. */
export const getTransactionCommand = command({
  name: 'get_transaction',
  doc: 'A transaction by its id, and where it stands.',
  params: { trx_id: hash160 },
  example: 'get_transaction 930694e05216541277108638f7b2862dcadb08ee',
  handler: async ({ trx_id }, wallet) =>
    shownOperations(await wallet.node.ask('get_transaction', { tx_id: trx_id }, 'tx'), await chainSymbols(wallet)),
});
