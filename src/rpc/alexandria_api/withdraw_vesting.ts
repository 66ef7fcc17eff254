import { givenName } from '../../values/account_name.ts';

import { vestsAsset } from '../../values/asset.ts';
import { withdrawVesting } from '../../operations/withdraw_vesting.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildWithdrawVesting = method({
  name: 'alexandria_api.withdraw_vesting',
  doc: 'Builds the operation that turns vesting shares back into coins, in equal instalments. `database_api.get_config` has their number, `…_VESTING_WITHDRAW_INTERVALS`, and the seconds between them, `…_VESTING_WITHDRAW_INTERVAL_SECONDS`.',
  docOfChain: ({ withdrawIntervals, withdrawIntervalSeconds }) =>
    `On this chain: ${withdrawIntervals} instalments, ${withdrawIntervalSeconds} seconds apart.`,
  params: { from: coded(givenName), vesting_shares: coded(vestsAsset) },
  result: operationResult,
  example: { params: { from: 'alice', vesting_shares: '1.000000 VESTS' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ from, vesting_shares }, { parameters }) => ({
    op: withdrawVesting.of({ fee: noFee(parameters), account: from, vesting_shares }),
  }),
});
