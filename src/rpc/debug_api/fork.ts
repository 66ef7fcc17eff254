import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { debugHead, moved } from './debug_head.ts';
import { forkRefusals } from './debug_refusals.ts';
import { method } from '../method.ts';

const MOST_BLOCKS = 1000;

/** A branch that turns out longer. */
export const fork = method({
  name: 'debug_api.fork',
  doc: 'Takes back the newest blocks and makes one more than that in their place, as when another branch turns out longer. Their transactions are on the new branch too, in other blocks, or on none of it with `keep_transactions` false. Subscribers are told as of any fork.',
  params: {
    blocks: Type.Integer({ default: 1, minimum: 1, maximum: MOST_BLOCKS }),
    keep_transactions: Type.Boolean({ default: true }),
  },
  result: debugHead,
  example: { params: { blocks: 2, keep_transactions: false } },
  stability: 'experimental',
  refuses: forkRefusals,
  thread: 'writer',
  changes: true,
  handler: ({ blocks, keep_transactions }, call) =>
    moved(call, { kind: 'fork', blocks, keepsTransactions: keep_transactions }),
});
