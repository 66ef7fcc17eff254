import { proveTransactions } from '../../src/blocks/prove.ts';
import { decodeKeys, encodeSignatures, recoverSignatures } from '../../src/node/threads/proofs.ts';
import type { Provers } from '../../src/node/threads/verifier_pool.ts';
import type { Digest } from '../../src/values/hash.ts';

/** Does in this thread what verifiers do in theirs. */
export function directProvers(chainId: Digest): Provers {
  return {
    recover: async (digest, signatures) =>
      await Promise.resolve(decodeKeys(recoverSignatures(encodeSignatures(digest, signatures)), signatures.length)),
    prove: async (transactions) => await Promise.resolve(proveTransactions(chainId, transactions)),
  };
}
