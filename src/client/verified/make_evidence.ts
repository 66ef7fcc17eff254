import { provenCertificate, type ProofStep } from '../../blocks/finality/finality_proof.ts';
import { neutralEncoding } from '../../codec/encoding_options.ts';
import type { BlockId, Digest } from '../../values/hash.ts';
import type { Evidence } from './nodes_differ.ts';

/** The evidence of a node's certificate. */
export function makeEvidence(
  node: string,
  chain_id: Digest,
  { certificate, voters }: ProofStep,
  block_id: BlockId,
): Evidence {
  return {
    node,
    chain_id,
    epoch: certificate.subject.epoch,
    block_id,
    certificate: String(provenCertificate.toJson(certificate, neutralEncoding)),
    voters,
  };
}
