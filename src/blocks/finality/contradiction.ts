import { vector } from '../../codec/collections.ts';
import { text, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import type { AccountName } from '../../values/account_name.ts';
import { signature } from '../../values/hash.ts';
import { publicKey, type PublicKey } from '../../values/public_key.ts';
import { time, type Seconds } from '../../values/time.ts';
import { certificate, type Certificate } from './certificate.ts';
import { voteSubject, type Vote } from './vote.ts';

/** Two votes of one key of which an honest voter casts one at most. */
export interface VoteContradiction {
  readonly seen: Seconds;
  /** Signs both. */
  readonly key: PublicKey;
  /** The witness that had the key then; '' where nobody knew. */
  readonly witness: AccountName;
  readonly votes: readonly Vote[];
}

/** Certificates that can't all be true. */
export interface CertificateContradiction {
  readonly seen: Seconds;
  readonly certificates: readonly SignedCertificate[];
}

/** A certificate with the keys of those who have signed it, in their order. */
export interface SignedCertificate {
  readonly certificate: Certificate;
  readonly signers: readonly PublicKey[];
}

/** Evidence that voters have lied: whoever has it verifies it by the chain id alone. */
export type Contradiction = VoteContradiction | CertificateContradiction;

const vote = struct({ subject: voteSubject, voter: u8, signature });

/** Contradicting votes as they are stored. */
export const voteContradiction = struct({ seen: time, key: publicKey, witness: text, votes: vector(vote) });

/** Contradicting certificates as they are stored. */
export const certificateContradiction = struct({
  seen: time,
  certificates: vector(struct({ certificate, signers: vector(publicKey) })),
});
