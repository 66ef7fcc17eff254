import type { Method } from '../method.ts';
import { getAccountBandwidth } from './get_account_bandwidth.ts';

/** The free use of accounts. */
export const accountBandwidthApi = [getAccountBandwidth] as const satisfies readonly Method[];
