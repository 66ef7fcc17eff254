import { hash160 } from '../../values/hash.ts';
import { command } from '../command.ts';

/** Shows the fate of a transaction. */
export const findTransactionCommand = command({
  name: 'find_transaction',
  doc: 'What has become of a transaction: pending, in_block, final, expired, dropped with its reason, too_old, or unknown to the node.',
  params: { trx_id: hash160 },
  example: 'find_transaction 930694e05216541277108638f7b2862dcadb08ee',
  handler: async ({ trx_id }, wallet) =>
    await wallet.node.call('transaction_status_api.find_transaction', { transaction_id: trx_id }),
});
