import type { Method } from '../method.ts';
import { enumVirtualOps } from './enum_virtual_ops.ts';
import { getAccountHistory } from './get_account_history.ts';
import { getOpsInBlock } from './get_ops_in_block.ts';
import { getTransaction } from './get_transaction.ts';

/** History by account, block and transaction. */
export const accountHistoryApi = [
  enumVirtualOps,
  getAccountHistory,
  getOpsInBlock,
  getTransaction,
] as const satisfies readonly Method[];
