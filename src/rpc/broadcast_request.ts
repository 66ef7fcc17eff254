import { present } from '../base/assert.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { Notation } from '../codec/notation.ts';
import { broadcastMethods } from './broadcast_methods.ts';
import type { BroadcastRequest } from './method.ts';
import type { CalledBroadcast, PackedBroadcast } from './services.ts';

/** What a verifier is to do with a broadcast; refuses what is no transaction. */
export function broadcastRequest(raw: CalledBroadcast | PackedBroadcast, notation: Notation): BroadcastRequest {
  if ('packed' in raw) return { transaction: unpacked(raw.packed), waitFor: raw.waitFor, maxBlockAge: -1 };
  const declared = present(broadcastMethods.get(raw.method), `method ${raw.method}`);
  const request = present(declared.request, 'what verifiers do with a broadcast');
  return request(raw.params, notation.dialect === 'legacy', notation);
}

function unpacked(bytes: Uint8Array): SignedTransaction {
  const input = new ByteReader(bytes);
  const transaction = signedTransaction.read(input);
  input.expectEnd();
  return transaction;
}
