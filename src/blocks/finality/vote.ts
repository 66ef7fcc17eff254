import { ByteWriter } from '../../codec/bytes.ts';
import type { Codec, ValueOf } from '../../codec/codec.ts';
import { mismatch } from '../../codec/decode_error.ts';
import { u32, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { sha512 } from '../../crypto/hashes.ts';
import { digest, hash160, signature, type Digest, type Signature } from '../../values/hash.ts';

/** A voter prepares a block first, and commits it once a quorum has prepared it. */
export type VoteKind = 'prepare' | 'commit';

const PREPARE = 1;
const COMMIT = 2;

/** A kind of vote as a byte. */
export const voteKind: Codec<VoteKind, VoteKind> = {
  write: (out, kind) => out.u8(kind === 'prepare' ? PREPARE : COMMIT),
  read(input) {
    const kind = input.u8();
    if (kind === PREPARE) return 'prepare';
    return kind === COMMIT ? 'commit' : input.refuse(`a vote of the unknown kind ${kind}`);
  },
  toJson: (kind) => kind,
  fromJson: (json) => (json === 'prepare' || json === 'commit' ? json : mismatch('prepare or commit', json)),
  initial: () => 'prepare',
  describe: () => ({ type: 'string', enum: ['prepare', 'commit'] }),
};

const members = {
  epoch: u32,
  /** The digest of the epoch's voters. */
  voters: digest,
  /** The slot in which the vote is cast, counted from 1970 on. */
  view: u32,
  kind: voteKind,
  /** The block's id, which begins with its number. */
  block: hash160,
  /** sha256 of the block's signed header. */
  header: digest,
  /** The finality root of all blocks up to this one. */
  root: digest,
  /** The digest of the next epoch's voters where the block is a boundary, else zero. */
  next_voters: digest,
} as const;

/** The statement of a vote: votes are counted together only when all of it is equal. */
export const voteSubject = struct(members);

export type VoteSubject = ValueOf<typeof voteSubject>;

/** The statement of a vote about its block alone. */
export type StatedBlock = Pick<VoteSubject, 'block' | 'header' | 'root' | 'next_voters'>;

/** The next voters in a vote for a block that is no boundary. */
export const NO_VOTERS: Digest = '0'.repeat(64);

/** A voter by its index in the voters' keys, with its signature. */
export const votersSignature = struct({ voter: u8, signature });

export type VotersSignature = ValueOf<typeof votersSignature>;

/** One voter's signed vote. */
export interface Vote {
  readonly subject: VoteSubject;
  /** The index of the voter's key among the epoch's voters. */
  readonly voter: number;
  readonly signature: Signature;
}

const statement = struct({ chain: digest, ...members });
const PURPOSE = Buffer.from('pharos vote');
const DIGEST_BYTES = 32;
const scratch = new ByteWriter(256);

/**
 * The digest that a voter signs: the first half of a sha512. Blocks and transactions are signed by their sha256, and
 * `alive` states another purpose, so no such signature can be taken for a vote, nor the other way round.
 */
export function voteDigest(chain: Digest, subject: VoteSubject): Uint8Array {
  scratch.reset();
  scratch.bytes(PURPOSE);
  statement.write(scratch, { chain, ...subject });
  return sha512(scratch.view()).subarray(0, DIGEST_BYTES);
}
