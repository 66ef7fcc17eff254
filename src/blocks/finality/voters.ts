import { ByteWriter } from '../../codec/bytes.ts';
import { vector } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { digest, type Digest } from '../../values/hash.ts';
import { compareKeys, NULL_KEY, publicKey, type PublicKey } from '../../values/public_key.ts';

/** The signing keys that vote in an epoch. */
export interface Voters {
  readonly epoch: number;
  /** Ascending, each once, none null. A vote names its voter by the index in this list. */
  readonly keys: readonly PublicKey[];
  /** Hash of chain id, epoch and keys, which every vote of the epoch states. */
  readonly digest: Digest;
}

const identity = struct({ chain: digest, epoch: u32, keys: vector(publicKey) });

/** The voters of an epoch as they are stored and sent; their digest follows from the chain id. */
export const votersRecord = struct({ epoch: u32, keys: vector(publicKey) });

const PURPOSE = Buffer.from('pharos voters');
const scratch = new ByteWriter(2048);

/**
 * The voters of an epoch, given the signing keys of the witnesses scheduled for its round, in any order, blanks and
 * repetitions included.
 */
export function epochVoters(chain: Digest, epoch: number, signingKeys: readonly PublicKey[]): Voters {
  const keys = [...new Set(signingKeys)].filter((key) => key !== NULL_KEY).sort(compareKeys);
  scratch.reset();
  scratch.bytes(PURPOSE);
  identity.write(scratch, { chain, epoch, keys });
  return { epoch, keys, digest: sha256Hex(scratch.view()) };
}

/** The number of votes that decide: more than two thirds, so all of three or fewer voters. */
export function quorumSize({ keys }: Pick<Voters, 'keys'>): number {
  return quorumOfCount(keys.length);
}

/** The same for that many voters. */
export function quorumOfCount(voters: number): number {
  return Math.trunc((2 * voters) / 3) + 1;
}

/** Returns whether that many voters include an honest one, as long as less than a third lie. */
export function isMoreThanThird(count: number, { keys }: Pick<Voters, 'keys'>): boolean {
  return 3 * count > keys.length;
}
