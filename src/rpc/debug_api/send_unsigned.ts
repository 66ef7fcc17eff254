import { Type } from '../../jsonrpc/typebox.ts';
import { refusals, Refusal } from '../../base/refusal.ts';
import { packTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import { coded } from '../../jsonrpc/params.ts';
import { operationCodec } from '../../operations/index.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { blockIdAt } from '../../state/block_ids.ts';
import { lastIrreversible } from '../../state/last_irreversible.ts';
import { blockReference } from '../../values/block_reference.ts';
import { hash160 } from '../../values/hash.ts';
import { refuseBroadcast, renewedRefusals } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { sampleOperation } from '../sample_transaction.ts';
import type { BroadcastOutcome, Call } from '../services.ts';
import { buildTransaction, transactionRefusals } from '../transactions.ts';

const refuse = refusals({
  no_impersonator:
    'nobody acts for others here: the genesis of the chain names no `impersonator`, or one whose key this node has not; `pharos dev --fresh` makes a chain with one',
});

/** How often in a row the same may be sent on top of one block. */
const MOST_ALIKE = 1000;

/** Acts as any account. */
export const sendUnsigned = method({
  name: 'debug_api.send_unsigned',
  doc: 'Sends a transaction of these operations that the impersonator of the chain signs in place of the accounts that would have to. The same may be sent again. With `wait` answers when it is in a block.',
  params: { op_vec: Type.Array(coded(operationCodec), { maxItems: LARGEST_PAGE }), wait: Type.Boolean({ default: false }) },
  result: Type.Object({ transaction_id: coded(hash160), block_num: Type.Integer() }),
  example: { params: { op_vec: [sampleOperation] } },
  stability: 'experimental',
  refuses: { ...transactionRefusals, ...renewedRefusals, ...refuse.texts },
  refusesForOperations: true,
  thread: 'writer',
  changes: true,

  async handler({ op_vec, wait }, call) {
    const transaction = call.rows.consistentRead(() => unlessReverted(call, buildTransaction(call, op_vec)));
    const { transactionId, blockNumber, expired } = await sendNew(call, transaction, wait ? 'block' : 'accepted');
    if (expired) refuseBroadcast.transaction_expired({ id: transactionId });
    return { transaction_id: transactionId, block_num: blockNumber };
  },
});

/** On top of a block that no fork takes back; of the genesis, where none is irreversible. */
function unlessReverted({ rows }: Call, transaction: SignedTransaction): SignedTransaction {
  return { ...transaction, ...blockReference(blockIdAt(rows, lastIrreversible(rows))) };
}

/** Sends it with the latest expiration with which it was not sent before. */
async function sendNew(
  { impersonate, broadcast, notation }: Call,
  transaction: SignedTransaction,
  waitFor: 'accepted' | 'block',
): Promise<BroadcastOutcome> {
  if (impersonate === undefined) return refuse.no_impersonator();
  for (let earlier = 0; ; earlier++) {
    try {
      const signed = impersonate({ ...transaction, expiration: transaction.expiration - earlier });
      return await broadcast({ method: 'debug_api.send_unsigned', packed: packTransaction(signed).packed, waitFor, notation, senderId: 0 });
    } catch (error) {
      const isKnown = error instanceof Refusal && error.code === 'duplicate_transaction';
      if (!isKnown || earlier >= MOST_ALIKE) throw error;
    }
  }
}
