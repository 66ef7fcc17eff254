import type { Method } from '../method.ts';
import { getAccountBandwidth } from './get_account_bandwidth.ts';

/** What accounts did without a fee. */
export const accountBandwidthApi = [getAccountBandwidth] as const satisfies readonly Method[];
