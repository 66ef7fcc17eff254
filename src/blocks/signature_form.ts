import { refusals } from '../base/refusal.ts';
import { hasValidHeader, isFcCanonical, isLooselyCanonical, isLowS, type CanonicalRule } from '../crypto/canonical.ts';
import type { Signature } from '../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';

const refuse = refusals({
  signature_without_key: 'unable to reconstruct public key from signature',
  signature_not_canonical: 'signature is not canonical',
});

/** What a signature may be refused for, whoever made it. */
export const signatureFormRefusals = refuse.texts;

/** The rule of each form of signatures that a chain can take; `state/signature_form.ts` says which it takes. */
export const signatureRules = { lowS: isLowS, loose: isLooselyCanonical, first: isFcCanonical } as const;

const SIGNATURE_BYTES = 65;
const scratch = Buffer.alloc(SIGNATURE_BYTES); // one for all: each transaction has its signature looked at

/** The key behind a signature; refused when there is none or the signature has another form than the rule asks for. */
export function requireSigner(rule: CanonicalRule, signature: Signature, signer: PublicKey | undefined): PublicKey {
  const isWhole = scratch.write(signature, 'hex') === SIGNATURE_BYTES && signature.length === SIGNATURE_BYTES * 2;
  if (!isWhole || !hasValidHeader(scratch)) refuse.signature_without_key();
  if (!rule(scratch)) refuse.signature_not_canonical();
  // The null key signs nothing, whoever says so: locked accounts and stopped witnesses have it.
  return signer === undefined || signer === NULL_KEY ? refuse.signature_without_key() : signer;
}
