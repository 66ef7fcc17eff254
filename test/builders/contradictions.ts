import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import type { CertificateContradiction, VoteContradiction } from '../../src/blocks/finality/contradiction.ts';
import { NO_VOTERS, voteDigest, type Vote, type VoteKind, type VoteSubject } from '../../src/blocks/finality/vote.ts';
import { epochVoters } from '../../src/blocks/finality/voters.ts';
import type { Digest } from '../../src/values/hash.ts';
import { GENESIS_TIME, testKey, people, testSecret } from './chain.ts';
import { quickSignature } from './quick_signature.ts';

const keys = people.map((name) => testKey(name));

function makeSubject(chain: Digest, kind: VoteKind, digit: string, epoch: number): VoteSubject {
  return {
    ...{ epoch, voters: epochVoters(chain, epoch, keys).digest, view: 500, kind },
    ...{ block: '0000001e'.padEnd(40, digit), header: digit.repeat(64), root: digit.repeat(64) },
    next_voters: NO_VOTERS,
  };
}

function makeVote(chain: Digest, name: string, subject: VoteSubject): Vote {
  const voter = epochVoters(chain, subject.epoch, keys).keys.indexOf(testKey(name));
  return { subject, voter, signature: quickSignature(voteDigest(chain, subject), testSecret(name)) };
}

/** Makes the votes of a test chain's voter that has prepared two blocks in one slot. */
export function contradictingVotes(chain: Digest, name = 'alice', epoch = 3): VoteContradiction {
  const votes = ['1', '2'].map((digit) => makeVote(chain, name, makeSubject(chain, 'prepare', digit, epoch)));
  return { seen: GENESIS_TIME, key: testKey(name), witness: name, votes };
}

/** Two blocks of one number, each committed by all voters. */
export function contradictingCertificates(chain: Digest, epoch = 3): CertificateContradiction {
  const certificates = ['1', '2'].map((digit): Certificate => {
    const subject = makeSubject(chain, 'commit', digit, epoch);
    const votes = people
      .map((name) => makeVote(chain, name, subject))
      .toSorted((one, other) => one.voter - other.voter);
    return { subject, signatures: votes.map(({ voter, signature }) => ({ voter, signature })) };
  });
  const { keys: signers } = epochVoters(chain, epoch, keys);
  return { seen: GENESIS_TIME, certificates: certificates.map((certificate) => ({ certificate, signers })) };
}
