import { present } from '../base/assert.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { broadcastTransaction as alexandriaBroadcastTransaction } from './alexandria_api/broadcast_transaction.ts';
import { registerMethods, type BroadcastRequest, type Methods } from './method.ts';
import { broadcastTransaction } from './network_broadcast_api/broadcast_transaction.ts';
import { broadcastTransactionSynchronous } from './network_broadcast_api/broadcast_transaction_synchronous.ts';
import type { CalledBroadcast, PackedBroadcast } from './services.ts';

/** The methods whose params verifiers read; verifiers load no other methods. */
export const broadcastMethods: Methods = registerMethods([
  broadcastTransaction,
  broadcastTransactionSynchronous,
  alexandriaBroadcastTransaction,
]);

/** The work that a broadcast gives to a verifier; refuses what is not a transaction. */
export function broadcastRequest(raw: CalledBroadcast | PackedBroadcast, encoding: EncodingOptions): BroadcastRequest {
  if ('packed' in raw)
    return {
      transaction: unpacked(raw.packed),
      waitFor: raw.waitFor,
      showsTransaction: raw.waitFor !== 'accepted',
      maxBlockAge: -1,
    };
  const declared = present(broadcastMethods.get(raw.method), `method ${raw.method}`);
  const request = present(declared.request, 'what verifiers do with a broadcast');
  return request(raw.params, encoding.dialect === 'legacy', encoding);
}

function unpacked(bytes: Uint8Array): SignedTransaction {
  const input = new ByteReader(bytes);
  const transaction = signedTransaction.read(input);
  input.expectEnd();
  return transaction;
}
