import { coded } from '../../jsonrpc/envelope/params.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { followChain, followingParams, followingRefusals, followingResult } from '../following_chain.ts';

const { return_id, resume } = followingParams;

/** Sends the balances of an account over a WebSocket. */
export const subscribeBalances = method({
  name: 'subscribe_api.subscribe_balances',
  doc: 'Sends a notice with what an account has, balance and vesting shares as of the head block: once at the beginning, then each time that a block has changed it. Of changes that were missed, the last is told.',
  params: { return_id, account_name: coded(accountName), resume },
  result: followingResult,
  example: { params: { return_id: 3, account_name: 'bob' } },
  stability: 'experimental',
  refuses: followingRefusals,
  thread: 'writer',
  changes: true,
  handler: async ({ account_name: account, ...params }, call) =>
    await Promise.resolve(followChain(params, { kind: 'balances', level: 'head', account }, call)),
});
