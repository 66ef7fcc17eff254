import { verifyTransactions } from '../blocks/verify.ts';
import { decodeCheckFindings, verifyForCheck } from './check_findings.ts';
import {
  decodeKeys,
  encodeSignatures,
  verifyPackedTransactions,
  recoverSignatures,
  verifyPackedBlocks,
} from './verifier_tasks.ts';
import type { Verifiers } from './verifier_pool.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { CommittedRows } from '../storage/rows.ts';

/** Does in this thread what verifiers do in theirs. */
export function directVerifiers(parameters: ChainParameters, rows: CommittedRows): Verifiers {
  const { chainId } = parameters;
  return {
    recover: async (digest, signatures) =>
      await Promise.resolve(decodeKeys(recoverSignatures(encodeSignatures(digest, signatures)), signatures.length)),
    encodedBlocks: async (packed) => await Promise.resolve(verifyPackedBlocks(chainId, packed)),
    verifyPacked: async (transactions) => await Promise.resolve([verifyPackedTransactions(chainId, transactions)]),
    verifyForCheck: async (packed) =>
      await Promise.resolve(decodeCheckFindings(verifyForCheck(parameters, rows, packed))),
    verifyTransactions: async (transactions) => await Promise.resolve(verifyTransactions(chainId, transactions)),
  };
}
