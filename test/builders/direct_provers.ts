import { proveTransactions } from '../../src/blocks/prove.ts';
import { decodeCheckProof, proveToCheck } from '../../src/node/threads/check_proofs.ts';
import { decodeKeys, encodeSignatures, recoverSignatures } from '../../src/node/threads/proofs.ts';
import type { Provers } from '../../src/node/threads/verifier_pool.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RowReader } from '../../src/storage/rows.ts';

/** Does in this thread what verifiers do in theirs. */
export function directProvers(parameters: ChainParameters, rows: RowReader): Provers {
  const { chainId } = parameters;
  return {
    recover: async (digest, signatures) =>
      await Promise.resolve(decodeKeys(recoverSignatures(encodeSignatures(digest, signatures)), signatures.length)),
    proveToCheck: async (packed) => await Promise.resolve(decodeCheckProof(proveToCheck(parameters, rows, packed))),
    prove: async (transactions) => await Promise.resolve(proveTransactions(chainId, transactions)),
  };
}
