import type { RowReader } from '../storage/rows.ts';
import { hardforks, hasHardfork } from './hardforks.ts';
import type { ChainParameters } from './parameters.ts';

/** The forms of signatures that chains have taken (wire.md 8.4): low s, the original's looser bound, and its first rule. */
export type SignatureForm = 'lowS' | 'loose' | 'first';

/** The form that the chain takes now. */
export function signatureForm(rows: RowReader, { rules }: ChainParameters): SignatureForm {
  if (rules.strict_signatures) return 'lowS';
  return hasHardfork(rows, hardforks.interestVotes) ? 'loose' : 'first';
}
