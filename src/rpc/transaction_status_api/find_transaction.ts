import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type, type StaticEncode } from '../../jsonrpc/envelope/typebox.ts';
import { nullable } from '../../codec/nullable.ts';
import { absenceStatus, blockStanding } from '../../queries/transaction_status.ts';
import { hash160 } from '../../values/hash.ts';
import { time, type Seconds } from '../../values/time.ts';
import { method } from '../method.ts';
import { sampleTransactionId } from '../sample_transaction.ts';
import type { Call, UnplacedTransaction } from '../services.ts';

const STATUSES = ['unknown', 'pending', 'in_block', 'final', 'expired', 'dropped', 'too_old'] as const;

const standing = Type.Object({
  status: Type.String({ enum: [...STATUSES] }),
  block_num: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 0xffff_ffff, description: 'of `in_block` and `final`' }),
  ),
  reason: Type.Optional(
    Type.Object(
      { name: Type.String(), message: Type.String() },
      { description: 'of `dropped`: the error that sending it again may have' },
    ),
  ),
});

type AskedParts = Pick<Call, 'rows' | 'intake'>;
type Standing = StaticEncode<typeof standing>;

/** Finds a transaction: pending, in a block, or dropped. */
export const findTransaction = method({
  name: 'transaction_status_api.find_transaction',
  doc: 'What has become of a transaction: it waits for a block here (`pending`), stands in one (`in_block`) that is `final` or not yet, was `dropped` by this node, or is in no block and none can take it any more (`expired`). `too_old` is one that a block may have had which this node does not keep. Of an id that this node does not know (`unknown`) only `expiration` tells whether it may still come. A restart forgets what was pending and dropped.',
  params: {
    transaction_id: coded(hash160),
    expiration: coded(nullable(time), { default: null, description: 'when the transaction expires, as it was signed' }),
  },
  result: standing,
  example: { params: { transaction_id: sampleTransactionId }, result: { status: 'in_block', block_num: 1 } },
  stability: 'experimental',
  // The writer is asked for what is in no block.
  weight: { call: 2 },
  thread: 'writer',
  changes: false,
  handler: async ({ transaction_id, expiration }, call) => await findStanding(call, transaction_id, expiration),
});

/** The status of a transaction. */
export async function findStanding(call: AskedParts, id: string, expiration: Seconds | null): Promise<Standing> {
  const { rows } = call;
  for (;;) {
    const placed = rows.consistentRead(() => blockStanding(rows, id));
    if (placed !== undefined) return placed;
    const unplaced = await call.intake.unplaced(id);
    // A block may have come meanwhile.
    const found = rows.consistentRead(
      () => blockStanding(rows, id) ?? standingWithoutBlock(call, unplaced, expiration),
    );
    if (found !== undefined) return found;
  }
}

/** Undefined where the block that had it was undone since, which takes a change of branch each time. */
function standingWithoutBlock(
  { rows }: AskedParts,
  { where, dropped }: UnplacedTransaction,
  given: Seconds | null,
): Standing | undefined {
  if (where === 'block') return undefined;
  if (where === 'pending') return { status: 'pending' };
  const expiration = dropped?.expiration ?? given;
  const absence = expiration === null ? 'open' : absenceStatus(rows, expiration);
  if (absence !== 'open') return { status: absence };
  return dropped === undefined ? { status: 'unknown' } : { status: 'dropped', reason: dropped.reason };
}
