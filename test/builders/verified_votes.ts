import type { VerifySignature } from '../../src/blocks/finality/certificate.ts';
import { isVoteSigned } from '../../src/blocks/finality/vote_signature.ts';

const MOST_VERIFIED = 50_000;

/** Signatures of votes are verified once for all nodes of a test: that a verification is right is another test's business. */
const verified = new Map<string, boolean>();

/** The number of requests to verify votes, of which few were carried out. */
export const voteChecks = { count: 0 };

/** As `isVoteSigned`. In a network of 51 nodes each vote is verified a hundred times. */
export const isVoteSignedOnce: VerifySignature = (digest, signature, key) => {
  voteChecks.count++;
  const name = key + signature + Buffer.from(digest).toString('latin1');
  const known = verified.get(name) ?? isVoteSigned(digest, signature, key);
  if (verified.size >= MOST_VERIFIED) verified.clear();
  verified.set(name, known);
  return known;
};
