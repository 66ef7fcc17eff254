import { broadcastTransaction as alexandriaBroadcastTransaction } from './alexandria_api/broadcast_transaction.ts';
import { registerMethods, type Methods } from './method.ts';
import { broadcastTransaction } from './network_broadcast_api/broadcast_transaction.ts';
import { broadcastTransactionSynchronous } from './network_broadcast_api/broadcast_transaction_synchronous.ts';

/** The methods whose params verifiers read; verifiers load no other methods. */
export const broadcastMethods: Methods = registerMethods([
  broadcastTransaction,
  broadcastTransactionSynchronous,
  alexandriaBroadcastTransaction,
]);
