import { accountName, givenName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { transferToVesting } from '../../operations/transfer_to_vesting.ts';
import { minimumVestingSeconds } from '../../state/vesting.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildTransferToVesting = method({
  name: 'alexandria_api.transfer_to_vesting',
  doc: 'Builds the operation that turns coins into vesting shares. `database_api.get_config` has the seconds for which they are locked, `…_MINIMUM_VESTING_SECONDS`.',
  docOfChain: (parameters) => `On this chain: ${minimumVestingSeconds(parameters)} seconds.`,
  params: { from: coded(givenName), to: coded(accountName), amount: coded(asset) },
  result: operationResult,
  example: { params: { from: 'alice', to: 'alice', amount: '1.000000 COIN' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ from, to, amount }, { parameters }) => ({
    op: transferToVesting.of({ fee: noFee(parameters), from, to: to === from ? '' : to, amount }),
  }),
});
