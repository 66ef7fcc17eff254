import { ByteWriter } from '../codec/bytes.ts';
import { struct } from '../codec/struct.ts';
import { u32 } from '../codec/primitives.ts';
import type { ValueOf } from '../codec/codec.ts';
import { sha512 } from '../crypto/hashes.ts';
import { verify } from '../crypto/verify.ts';
import { accountName } from '../values/account_name.ts';
import { digest, hash160, signature, type Digest } from '../values/hash.ts';
import { publicKey } from '../values/public_key.ts';

const members = {
  witness: accountName,
  /** The key that signs, so that a wrong signature is recognised by nodes of any branch. */
  key: publicKey,
  /** The number of the slot, counted from 1970 on. */
  slot: u32,
  /** The head of the witness's chain. */
  head: hash160,
} as const;

const statement = struct({ chain: digest, ...members });

/** The heartbeat of a witness: in this slot it is there, and its chain ends at this block. */
export type Alive = Omit<ValueOf<typeof statement>, 'chain'>;

/** The same with its signature, as it travels. */
export const signedAlive = struct({ ...members, signature });

export type SignedHeartbeat = ValueOf<typeof signedAlive>;

const PURPOSE = Buffer.from('pharos alive');
const DIGEST_BYTES = 32;
const scratch = new ByteWriter(256);

/**
 * The signed digest: the first half of a sha512. Blocks and transactions are signed by their sha256, so no such
 * signature can be taken for one of these, nor the other way round.
 */
export function aliveDigest(chain: Digest, alive: Alive): Uint8Array {
  scratch.reset();
  scratch.bytes(PURPOSE);
  statement.write(scratch, { chain, ...alive });
  return sha512(scratch.view()).subarray(0, DIGEST_BYTES);
}

/** Returns whether the key that it names has signed it. */
export function hasValidSignature(chain: Digest, alive: SignedHeartbeat): boolean {
  return verify(aliveDigest(chain, alive), Buffer.from(alive.signature, 'hex'), Buffer.from(alive.key, 'hex'));
}

/**
 * Of the signed slot against that in which it is looked at: three times that a witness signs, and clocks that differ.
 */
const SLOTS = { behind: 10, ahead: 2 } as const;

/** Returns whether it is too old to count in that slot. */
export function isOver({ slot }: Pick<Alive, 'slot'>, now: number): boolean {
  return slot < now - SLOTS.behind;
}

/** Returns whether it still counts in that slot, and counts already. */
export function isTimely(alive: Pick<Alive, 'slot'>, now: number): boolean {
  return !isOver(alive, now) && alive.slot <= now + SLOTS.ahead;
}
