import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import { present } from '../base/assert.ts';
import { PackedVerifiedTransaction } from './packed_verified_transaction.ts';
import type { VerifiedTransaction } from './transaction.ts';
import type { BytesOf } from '../base/bytes_of.ts';
import { readSigners, writeSigners } from './finding_bytes.ts';
import { LEAF_BYTES } from './merkle.ts';
import { ID_BYTES, ID_DIGITS } from '../values/hash.ts';

/**
 * A transaction on its way from a verifier to the writer: the ticket of its broadcast, and everything already computed.
 */
export interface VerifiedBroadcast {
  readonly ticket: number;
  readonly verified: VerifiedTransaction;
  /** Accepted even when it expires before any block can have it, as the lineage did. */
  readonly mayWaitInVain?: boolean;
  /** It came in a bundle of a peer, who is told no more than a byte of what became of it. */
  readonly isBundled?: boolean;
}

const WAITS_IN_VAIN = 1;
const BUNDLED = 2;
const COUNT_BYTES = 4;

/** Encodes all items into one buffer of its own. */
export function encodeVerifiedBatch(items: readonly VerifiedBroadcast[]): BytesOf<readonly VerifiedBroadcast[]> {
  const out = new ByteWriter(items.reduce((sum, { verified }) => sum + verified.packed.length + 128, 16));
  out.u32(items.length);
  for (const { verified } of items) out.hex(verified.id);
  const lists = new SignerLists();
  const listed = items.map(({ verified }) => lists.signerIndex(verified.signers));
  out.u32(lists.all.length);
  for (const signers of lists.all) writeSigners(out, signers);
  for (const [index, { ticket, verified, mayWaitInVain, isBundled }] of items.entries()) {
    out.u32(ticket);
    out.u8((mayWaitInVain === true ? WAITS_IN_VAIN : 0) | (isBundled === true ? BUNDLED : 0));
    out.u32(listed[index] ?? 0);
    out.hex(verified.leaf);
    out.u32(verified.unsignedBytes);
    out.u32(verified.packed.length);
    out.bytes(verified.packed);
  }
  return out.finish();
}

/** Stores each list of signers once, because accounts send many transactions. */
class SignerLists {
  readonly all: (readonly (PublicKey | undefined)[])[] = [];
  readonly #indexes = new Map<string, number>();

  signerIndex(signers: readonly (PublicKey | undefined)[]): number {
    const [first = NULL_KEY] = signers;
    const key = signers.length === 1 ? first : signers.join();
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.all.length);
    return this.all.push(signers) - 1;
  }
}

/** The items of a batch, ready to be applied. Packed forms are views of `bytes`. */
export function decodeVerifiedBatch(bytes: Uint8Array): VerifiedBroadcast[] {
  const input = new ByteReader(bytes);
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = input.u32();
  const ids = input.hex(count * ID_BYTES);
  const lists: (readonly (PublicKey | undefined)[])[] = [];
  for (let left = input.u32(); left > 0; left--) lists.push(reuseList(readSigners(input)));
  const items: VerifiedBroadcast[] = [];
  for (let index = 0; index < count; index++) {
    const ticket = input.u32();
    const flags = input.u8();
    const signers = present(lists[input.u32()], 'signers');
    const leafAt = input.position;
    input.bytes(LEAF_BYTES);
    const unsignedBytes = input.u32();
    const packed = input.bytes(input.u32());
    const id = ids.slice(index * ID_DIGITS, (index + 1) * ID_DIGITS);
    const verified = new PackedVerifiedTransaction({ id, signers, packed, unsignedBytes, message, leafAt });
    items.push({
      ticket,
      mayWaitInVain: (flags & WAITS_IN_VAIN) !== 0,
      isBundled: (flags & BUNDLED) !== 0,
      verified,
    });
  }
  return items;
}

/**
 * Lists of one signer that came before: accounts send many transactions, and a block holds on to the list of each. One
 * that is read anew takes 300 bytes.
 */
const knownSigners = new Map<PublicKey, readonly PublicKey[]>();
const MOST_KNOWN_SIGNERS = 10_000;

function reuseList(signers: readonly (PublicKey | undefined)[]): readonly (PublicKey | undefined)[] {
  const [signer] = signers;
  if (signer === undefined || signers.length > 1) return signers;
  const before = knownSigners.get(signer);
  if (before !== undefined) return before;
  if (knownSigners.size >= MOST_KNOWN_SIGNERS) knownSigners.clear();
  const list = [signer];
  knownSigners.set(signer, list);
  return list;
}

/** The ids of a batch's items, 20 bytes each: a view of `bytes`. */
export function idsOfBatch(bytes: Uint8Array): Uint8Array {
  const count = new ByteReader(bytes).u32();
  return bytes.subarray(COUNT_BYTES, COUNT_BYTES + count * ID_BYTES);
}

/** The transaction of an item, for `map`. */
export function verifiedOf({ verified }: VerifiedBroadcast): VerifiedTransaction {
  return verified;
}
