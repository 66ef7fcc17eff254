import type { CertificateDescription } from '../rpc/services.ts';
import type { Seconds } from '../values/time.ts';

/** How finality stands where votes make blocks final, for pages of the front. */
export interface VotingNews {
  readonly epoch: number;
  readonly voters: number;
  readonly quorum: number;
  /** How many voters have not voted for ten slots, and the first of them by witness, or by key. */
  readonly missing: number;
  readonly missingNames: readonly string[];
  /** Since when no block has become final; undefined unless that is too long. */
  readonly stalledSince: Seconds | undefined;
  readonly certificate: CertificateDescription | undefined;
  /** What an operator has to look at, each as a sentence. */
  readonly problems: readonly string[];
  /** What is worth a look, too, and is no error of this node. */
  readonly warnings: readonly string[];
}
