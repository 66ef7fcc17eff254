import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { accountName } from '../../values/account_name.ts';
import { kindName } from '../kind_name.ts';
import { method } from '../method.ts';
import { followChain, followingParams, followingRefusals, followingResult, levelParam } from '../following_chain.ts';

/** As many as a page of `get_accounts` has; each counts as a subscription. */
const MOST_ACCOUNTS = 1000;

/** Operations as they happen, over a WebSocket. */
export const subscribeOperations = method({
  name: 'subscribe_api.subscribe_operations',
  doc: 'Sends a notice for each operation, virtual ones included, of certain kinds, or that enters the history of certain accounts, or both: in the order of the chain, first those that were missed since `resume`, then new ones. A notice of type `undone` says from where on another branch has replaced what was told. At level `pending` an operation is told before that as `pending`, when this node has accepted it, and its transaction as `dropped` if the node gives it up.',
  params: {
    ...followingParams,
    accounts: Type.Optional(
      Type.Array(coded(accountName), {
        minItems: 1,
        maxItems: MOST_ACCOUNTS,
        description:
          'only what enters the history of one of these accounts: names, not seeds; each counts as a subscription',
      }),
    ),
    kinds: Type.Optional(
      Type.Array(coded(kindName), {
        minItems: 1,
        maxItems: 100,
        description: 'only operations of these kinds, such as transfer',
      }),
    ),
    level: levelParam,
  },
  result: followingResult,
  example: {
    params: { return_id: 2, accounts: ['bob'], kinds: ['transfer'], level: 'head' },
  },
  stability: 'experimental',
  refuses: followingRefusals,
  thread: 'writer',
  changes: true,
  handler: async ({ accounts, kinds, level, ...params }, call) => {
    const subject = {
      kind: 'operations',
      level,
      accounts: accounts && new Set(accounts),
      kinds: kinds && new Set(kinds),
      withBlocks: false,
    } as const;
    return await Promise.resolve(followChain(params, subject, call));
  },
});
