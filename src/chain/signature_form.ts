import { refusals } from '../base/refusal.ts';
import { hasValidHeader, isFcCanonical, isLooselyCanonical, isLowS, type CanonicalRule } from '../crypto/canonical.ts';
import { hardforks, hasHardfork } from '../state/hardforks.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';

const refuse = refusals({
  signature_without_key: 'unable to reconstruct public key from signature',
  signature_not_canonical: 'signature is not canonical',
});

/** Which forms of signatures the chain takes now (wire.md 8.4). */
export function canonicalRule(rows: RowReader, { rules }: ChainParameters): CanonicalRule {
  if (rules.strict_signatures) return isLowS;
  return hasHardfork(rows, hardforks.interestVotes) ? isLooselyCanonical : isFcCanonical;
}

/** The key behind a signature; refused when there is none or the signature has another form than the rule asks for. */
export function requireSigner(rule: CanonicalRule, signature: Signature, signer: PublicKey | undefined): PublicKey {
  const bytes = Buffer.from(signature, 'hex');
  if (!hasValidHeader(bytes)) refuse.signature_without_key();
  if (!rule(bytes)) refuse.signature_not_canonical();
  return signer ?? refuse.signature_without_key();
}
