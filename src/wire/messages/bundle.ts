import type { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { publicKey, type PublicKey } from '../../values/public_key.ts';
import { TRANSACTIONS } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';

export const MOST_BUNDLED = 1024; // what one proof of signatures takes at best
const MOST_BUNDLE_BYTES = 256 * 1024;
/** A transaction of a client, by every genesis. */
export const MOST_TRANSACTION_BYTES = 8192;
const KEY_BYTES = 33;

/**
 * A packed transaction and whose key has probably signed it: a hint that makes the proof cheaper and decides nothing.
 */
export interface BundledTransaction {
  readonly key: PublicKey;
  readonly unsignedBytes: number;
  readonly packed: Uint8Array;
}

function write(out: ByteWriter, transactions: readonly BundledTransaction[]): void {
  const indexes = new Map<PublicKey, number>();
  for (const { key } of transactions) if (!indexes.has(key)) indexes.set(key, indexes.size);
  out.u16(indexes.size);
  for (const key of indexes.keys()) publicKey.write(out, key);
  out.u16(transactions.length);
  for (const { key, unsignedBytes, packed } of transactions) {
    out.u16(indexes.get(key) ?? 0);
    out.u16(unsignedBytes);
    out.u32(packed.length);
    out.bytes(packed);
  }
}

function read(input: ByteReader): readonly BundledTransaction[] {
  const keys: PublicKey[] = [];
  for (let left = count(input, KEY_BYTES); left > 0; left--) keys.push(publicKey.read(input));
  const transactions: BundledTransaction[] = [];
  for (let left = count(input, 1); left > 0; left--) {
    const key = keys[input.u16()] ?? input.refuse('the index of a key that is not there');
    const unsignedBytes = input.u16();
    const bytes = input.u32();
    if (bytes > MOST_TRANSACTION_BYTES || unsignedBytes > bytes)
      input.refuse(`a transaction of ${bytes} bytes, ${unsignedBytes} unsigned`);
    transactions.push({ key, unsignedBytes, packed: input.bytes(bytes) });
  }
  return transactions;
}

function count(input: ByteReader, bytesEach: number): number {
  const most = input.u16();
  if (most > MOST_BUNDLED || most * bytesEach > input.remaining) input.refuse(`${most} items cannot follow`);
  return most;
}

/** Transactions that the sender's chain has accepted. */
export const bundle = messageKind({
  name: 'bundle',
  layout: 'see [Bundles](#bundles)',
  price: { payer: 'sender', firstMs: 0.2 },
  lane: TRANSACTIONS,
  mostBytes: MOST_BUNDLE_BYTES,
  wire: { write, read },
});
