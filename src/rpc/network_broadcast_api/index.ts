import type { Method } from '../method.ts';
import { broadcastBlock } from './broadcast_block.ts';
import { broadcastTransaction } from './broadcast_transaction.ts';
import { broadcastTransactionSynchronous } from './broadcast_transaction_synchronous.ts';

/** Broadcasts to the network. */
export const networkBroadcastApi = [
  broadcastBlock,
  broadcastTransaction,
  broadcastTransactionSynchronous,
] as const satisfies readonly Method[];
