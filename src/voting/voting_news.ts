import type { CertificateDescription } from '../rpc/services.ts';
import type { Seconds } from '../values/time.ts';

/** The state of finality for pages of the front, on chains with votes. */
export interface VotingNews {
  readonly epoch: number;
  readonly voters: number;
  readonly quorum: number;
  /** The number of voters that have not voted for ten slots, and the first of them by witness, or by key. */
  readonly missing: number;
  readonly missingNames: readonly string[];
  /** Since when no block has become final; undefined unless that is too long. */
  readonly stalledSince: Seconds | undefined;
  readonly certificate: CertificateDescription | undefined;
  /** Problems for an operator, each as a sentence. */
  readonly problems: readonly string[];
  /** Findings that are worth a look, and are no error of this node. */
  readonly warnings: readonly string[];
}
