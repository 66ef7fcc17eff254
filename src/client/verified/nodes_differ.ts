import { Refusal } from '../../base/refusal.ts';

/** The proof of one of two nodes that contradict each other. */
export interface Evidence {
  readonly node: string;
  readonly chain_id: string;
  readonly epoch: number;
  /** The block that it proves to be final. */
  readonly block_id: string;
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
