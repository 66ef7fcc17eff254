import { present } from '../../base/assert.ts';
import { text, u32 } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { digest, hash160 } from '../../values/hash.ts';
import { method } from '../method.ts';
import { refuseSnapshot } from './snapshot_refusals.ts';

/** Writes the chain's state into a file on the node's disk. */
export const createSnapshot = method({
  name: 'snapshot_api.create_snapshot',
  doc: 'Writes the last irreversible state into a file of the snapshot folder of the node, and answers when it is complete, which takes a minute for a million accounts. No block waits for it, and the file is the one that a stopped node would write at that block. One is written at a time.',
  params: {},
  result: Type.Object({
    path: coded(text),
    block_number: coded(u32),
    block_id: coded(hash160),
    state_hash: coded(digest),
    rows: coded(u32),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: coded(digest),
  }),
  example: { params: {} },
  stability: 'experimental',
  refuses: refuseSnapshot.texts,
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async (_, { operator: { snapshots } }) =>
    await present(snapshots, 'snapshots, where they are served').create(),
});
