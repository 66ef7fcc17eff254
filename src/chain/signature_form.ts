import { signatureRules } from '../blocks/signature_form.ts';
import type { CanonicalRule } from '../crypto/canonical.ts';
import { hardforks, hasHardfork } from '../state/hardforks.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { RowReader } from '../storage/rows.ts';

export { requireSigner } from '../blocks/signature_form.ts';

/** Which forms of signatures the chain takes now (wire.md 8.4). */
export function canonicalRule(rows: RowReader, { rules }: ChainParameters): CanonicalRule {
  if (rules.strict_signatures) return signatureRules.lowS;
  return hasHardfork(rows, hardforks.interestVotes) ? signatureRules.loose : signatureRules.first;
}
