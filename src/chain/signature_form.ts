import { signatureRules } from '../blocks/signature_form.ts';
import type { CanonicalRule } from '../crypto/canonical.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { signatureForm } from '../state/signature_form.ts';
import type { RowReader } from '../storage/rows.ts';

export { requireSigner, requireSigners } from '../blocks/signature_form.ts';

/** Which forms of signatures the chain takes now (wire.md 8.4). */
export function canonicalRule(rows: RowReader, parameters: ChainParameters): CanonicalRule {
  return signatureRules[signatureForm(rows, parameters)];
}
