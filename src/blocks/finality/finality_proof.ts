import { base64Bytes, inBase64, listInBase64 } from '../../codec/base64.ts';
import type { Codec, ValueOf } from '../../codec/codec.ts';
import { optional, vector } from '../../codec/collections.ts';
import { struct } from '../../codec/struct.ts';
import { digest } from '../../values/hash.ts';
import { compareKeys, publicKey, type PublicKey } from '../../values/public_key.ts';
import { merkleStep, type MerkleStep } from '../merkle.ts';
import { certificate as certificateCodec, type Certificate } from './certificate.ts';

/** The words about a certificate in descriptions. */
export const CERTIFICATE_FORM =
  'base64 of a certificate: 157 bytes that are signed, a bitmap of the voters, a signature of each';

/** The header byte of a signature by a compressed key, recovery id 0. */
const HEADER_BYTE = '1f';

/**
 * A certificate in a proof: base64 of the bytes that peers send. The header byte of a signature proves nothing, so it
 * is 31 in all of them, and anything else is refused: no other text is the same proof.
 */
export const provenCertificate: Codec<Certificate, string> = inBase64(
  {
    ...certificateCodec,
    write: (out, { subject, signatures }) =>
      certificateCodec.write(out, {
        subject,
        signatures: signatures.map(({ voter, signature }) => ({ voter, signature: HEADER_BYTE + signature.slice(2) })),
      }),
    read(input) {
      const value = certificateCodec.read(input);
      if (value.signatures.some(({ signature }) => !signature.startsWith(HEADER_BYTE)))
        input.refuse('a signature of a proof has another header byte than 31');
      return value;
    },
  },
  CERTIFICATE_FORM,
);

const KEY_BYTES = 33;
const DIGEST_BYTES = 32;
const keys = listInBase64(publicKey, KEY_BYTES);

/** A list of voters by what differs from another one. */
const changedVoters = struct(
  {
    /** A bit for each key of the other list that this one has, too; the lowest bit of the first byte is for the first. */
    kept: base64Bytes,
    /** The keys that the other list lacks, ascending. */
    others: keys,
  },
  { mayLack: [] },
);

export type ChangedVoters = ValueOf<typeof changedVoters>;

const proofStep = struct({ certificate: provenCertificate, voters: keys }, { mayLack: [] });

/** The commit certificate of an epoch's last block, with the keys of the epoch's voters, ascending. */
export type ProofStep = ValueOf<typeof proofStep>;

/** The proof, for a client with a checkpoint, that a block is final. */
export const finalityProof = struct(
  {
    /** The signed header of the block, packed. */
    header: base64Bytes,
    /** From the block to the root that the certificate states: see `isInRange`. */
    path: listInBase64(digest, DIGEST_BYTES),
    /** Of commits, for this block or a later one. */
    certificate: provenCertificate,
    /** The keys of the certificate's epoch, ascending. */
    voters: keys,
    /**
     * The voters of the trusted epoch, by what differs from those of the first certificate: that of the first step, or
     * of the proof where there are no steps. Absent where the first certificate is of the trusted epoch.
     */
    trusted: optional(changedVoters),
    /** Certificates that lead from the trusted epoch to that of the proof's certificate, in the order of their epochs. */
    steps: vector(proofStep),
  },
  { mayLack: [] },
);

export type FinalityProof = ValueOf<typeof finalityProof>;

/** The first byte of each step is 0 or 1. */
const BRANCH = '^(?:A[A-Za-f][A-Za-z0-9+/]{42})*$';
const branch: Codec<readonly MerkleStep[], string> = {
  ...listInBase64(merkleStep, 1 + DIGEST_BYTES),
  describe: () => ({ type: 'string', pattern: BRANCH }),
};

/** The proof, for a client with a checkpoint, that a transaction is in a final block. */
export const transactionProof = struct(
  {
    /** The signed transaction, packed. */
    transaction: base64Bytes,
    /** From the transaction to the merkle root of the proof's header: see `rootOfBranch`. */
    branch,
    finality: finalityProof,
  },
  { mayLack: [] },
);

export type TransactionProof = ValueOf<typeof transactionProof>;

/** Describes a list of voters, in ascending order, by another one. */
export function diffVoters(others: readonly PublicKey[], voters: readonly PublicKey[]): ChangedVoters {
  const wanted = new Set(voters);
  const known = new Set(others);
  const kept = new Uint8Array((others.length + 7) >> 3);
  others.forEach((key, at) => {
    if (wanted.has(key)) kept[at >> 3] = (kept[at >> 3] ?? 0) | (1 << (at & 7));
  });
  return { kept, others: voters.filter((key) => !known.has(key)) };
}

/** The list of voters that `diffVoters` described; undefined where it describes none. */
export function changedBack(from: readonly PublicKey[], { kept, others }: ChangedVoters): PublicKey[] | undefined {
  if (kept.length !== (from.length + 7) >> 3) return undefined;
  const [first, ...rest] = others;
  if (first !== undefined && rest.some((key, at) => compareKeys(key, others[at] ?? first) <= 0)) return undefined;
  const bits = Array.from({ length: 8 * kept.length }, (_, at) => ((kept[at >> 3] ?? 0) & (1 << (at & 7))) !== 0);
  if (bits.includes(true, from.length)) return undefined;
  return [...from.filter((_, at) => bits[at]), ...others].sort(compareKeys);
}
