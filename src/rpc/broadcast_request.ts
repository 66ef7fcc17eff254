import { present } from '../base/assert.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { Notation } from '../codec/notation.ts';
import { broadcastMethods } from './broadcast_methods.ts';
import type { BroadcastRequest } from './method.ts';
import type { CalledBroadcast, PackedBroadcast } from './services.ts';

/** The work that a broadcast gives to a verifier; refuses what is not a transaction. */
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
