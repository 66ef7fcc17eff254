import { present } from '../base/assert.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { Notation } from '../codec/notation.ts';
import { broadcastMethods } from './broadcast_methods.ts';
import type { BroadcastOrder } from './method.ts';
import type { CalledBroadcast, PackedBroadcast } from './services.ts';

/** What a verifier is to do with a broadcast; refuses what is no transaction. */
export function broadcastOrder(raw: CalledBroadcast | PackedBroadcast, notation: Notation): BroadcastOrder {
  if ('packed' in raw) return { transaction: unpacked(raw.packed), waitFor: raw.waitFor, maxBlockAge: -1 };
  const declared = present(broadcastMethods.get(raw.method), `method ${raw.method}`);
  const order = present(declared.order, 'what verifiers do with a broadcast');
  return order(raw.params, notation.dialect === 'legacy', notation);
}

function unpacked(bytes: Uint8Array): SignedTransaction {
  const input = new ByteReader(bytes);
  const transaction = signedTransaction.read(input);
  input.expectEnd();
  return transaction;
}
