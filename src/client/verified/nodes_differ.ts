import { Refusal } from '../../base/refusal.ts';
import { provenCertificate, type ProofStep } from '../../blocks/finality/finality_proof.ts';
import { neutralEncoding } from '../../codec/encoding_options.ts';
import type { BlockId, Digest } from '../../values/hash.ts';

/** What one of two nodes that contradict each other has proven. */
export interface Evidence {
  readonly node: string;
  readonly chain_id: Digest;
  readonly epoch: number;
  /** The block that it proves to be final. */
  readonly block_id: BlockId;
  /** The commit certificate, in base64. */
  readonly certificate: string;
  /** The keys of those who signed it, ascending, in hexadecimal digits. */
  readonly voters: readonly string[];
}

/**
 * Two nodes prove blocks final that contradict each other: more than a third of some epoch's voters lie, or their keys are
 * stolen. Nothing more is believed; the evidence is for people.
 */
export class NodesDiffer extends Refusal {
  readonly evidence: readonly [Evidence, Evidence];

  constructor(evidence: readonly [Evidence, Evidence]) {
    const [one, other] = evidence;
    super(
      'nodes_differ',
      `${one.node} proves block ${one.block_id} final, and ${other.node} block ${other.block_id}: stop, keep the evidence, and ask people you trust which chain is theirs`,
      { nodes: [one.node, other.node], certificates: [one.certificate, other.certificate] },
    );
    this.evidence = evidence;
  }
}

/** The evidence of a node's certificate. */
export function evidenceOf(
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
