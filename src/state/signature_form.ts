import type { RowReader } from '../storage/rows.ts';
import { hardforks, hasHardfork } from './hardforks.ts';
import type { ChainParameters } from './parameters.ts';

/**
 * The forms of signatures that chains have accepted: exactly one, the lineage's looser bound, and its first rule
 * (wire_format.md#signatures).
 */
export type SignatureForm = 'one' | 'loose' | 'first';

/** The form that the chain currently accepts. */
export function signatureForm(rows: RowReader, { rules }: ChainParameters): SignatureForm {
  if (rules.one_signature_form) return 'one';
  return hasHardfork(rows, hardforks.interestVotes) ? 'loose' : 'first';
}
