import type { Method } from '../method.ts';
import { findTransaction } from './find_transaction.ts';

/** The methods that find transactions. */
export const transactionStatusApi = [findTransaction] as const satisfies readonly Method[];
