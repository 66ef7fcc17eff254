import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { withDefault } from '../../jsonrpc/envelope/params.ts';
import { method } from '../method.ts';
import { followChain, followingParams, followingRefusals, followingResult, levelParam } from '../following_chain.ts';

import type { Level, Subject } from '../../notices/stream.ts';

/** Blocks as they come, over a WebSocket. */
export const subscribeBlocks = method({
  name: 'subscribe_api.subscribe_blocks',
  doc: 'Sends a notice for each block, in order: first those that were missed since `resume`, then new ones. A notice of type `undone` says from where on another branch has replaced what was told. At level `pending` each transaction that waits for a block is told before (`pending_transaction`), and each that is dropped. With `operations`, all operations of a block come before its notice, as subscribe_operations tells them, so that a reader has whole blocks in one stream.',
  params: {
    ...followingParams,
    level: levelParam,
    operations: withDefault(
      Type.Boolean({ description: 'whether the operations of each block are told before it' }),
      false,
    ),
  },
  result: followingResult,
  example: { params: { return_id: 1, level: 'head' } },
  stability: 'experimental',
  refuses: followingRefusals,
  thread: 'writer',
  changes: true,
  handler: async ({ level, operations, ...params }, call) =>
    await Promise.resolve(followChain(params, makeSubject(level, operations), call)),
});

function makeSubject(level: Level, withOperations: boolean): Subject {
  if (!withOperations) return { kind: 'blocks', level };
  return { kind: 'operations', level, accounts: undefined, kinds: undefined, withBlocks: true };
}
