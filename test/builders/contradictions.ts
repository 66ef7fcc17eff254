import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import type { CertificateContradiction, VoteContradiction } from '../../src/blocks/finality/contradiction.ts';
import { NO_VOTERS, voteDigest, type Vote, type VoteKind, type VoteSubject } from '../../src/blocks/finality/vote.ts';
import { votersOf } from '../../src/blocks/finality/voters.ts';
import type { Digest } from '../../src/values/hash.ts';
import { GENESIS_TIME, keyOf, people, secretOf } from './chain.ts';
import { quickSignature } from './quick_signature.ts';

const keys = people.map((name) => keyOf(name));

function subjectOf(chain: Digest, kind: VoteKind, digit: string, epoch: number): VoteSubject {
  return {
    ...{ epoch, voters: votersOf(chain, epoch, keys).digest, view: 500, kind },
    ...{ block: '0000001e'.padEnd(40, digit), header: digit.repeat(64), root: digit.repeat(64) },
    next_voters: NO_VOTERS,
  };
}

function voteOf(chain: Digest, name: string, subject: VoteSubject): Vote {
  const voter = votersOf(chain, subject.epoch, keys).keys.indexOf(keyOf(name));
  return { subject, voter, signature: quickSignature(voteDigest(chain, subject), secretOf(name)) };
}

/** What a voter of a test chain leaves behind that has prepared two blocks in one slot. */
export function contradictingVotes(chain: Digest, name = 'alice', epoch = 3): VoteContradiction {
  const votes = ['1', '2'].map((digit) => voteOf(chain, name, subjectOf(chain, 'prepare', digit, epoch)));
  return { seen: GENESIS_TIME, key: keyOf(name), witness: name, votes };
}

/** Two blocks of one number, each committed by all voters. */
export function contradictingCertificates(chain: Digest, epoch = 3): CertificateContradiction {
  const certificates = ['1', '2'].map((digit): Certificate => {
    const subject = subjectOf(chain, 'commit', digit, epoch);
    const votes = people.map((name) => voteOf(chain, name, subject)).toSorted((one, other) => one.voter - other.voter);
    return { subject, signatures: votes.map(({ voter, signature }) => ({ voter, signature })) };
  });
  const { keys: signers } = votersOf(chain, epoch, keys);
  return { seen: GENESIS_TIME, certificates: certificates.map((certificate) => ({ certificate, signers })) };
}
