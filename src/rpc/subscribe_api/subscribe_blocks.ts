import { method } from '../method.ts';
import { followChain, followingParams, followingRefusals, followingResult, levelParam } from '../notices/following_chain.ts';

/** Blocks as they come, over a WebSocket. */
export const subscribeBlocks = method({
  name: 'subscribe_api.subscribe_blocks',
  doc: 'Sends a notice for each block, in order: first those that were missed since `resume`, then new ones. A notice of type `undone` says from where on another branch has replaced what was told. At level `pending` each transaction that waits for a block is told before (`pending_transaction`), and each that is dropped.',
  params: { ...followingParams, level: levelParam },
  result: followingResult,
  example: { params: { return_id: 1, level: 'head' } },
  stability: 'experimental',
  refuses: followingRefusals,
  thread: 'writer',
  handler: async ({ level, ...params }, call) => await Promise.resolve(followChain(params, { kind: 'blocks', level }, call)),
});
