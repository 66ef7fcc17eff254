import { isFcCanonical, type CanonicalRule } from '../crypto/canonical.ts';
import { sign } from '../crypto/sign.ts';
import type { Digest, Signature } from '../values/hash.ts';
import { inOrder } from './signature_form.ts';
import { packTransaction, signingDigest, type SignedTransaction } from './transaction.ts';

/**
 * The form accepted by all chains at any time. It takes two attempts on average, where a chain that accepts any low s
 * takes one.
 */
const ANY_CHAIN: CanonicalRule = isFcCanonical;

/**
 * The signature of a digest as hex digits, in a form that every chain accepts unless `rule` is looser; undefined when
 * the secret is not a private key.
 */
export function signWithSecret(
  digest: Uint8Array,
  secret: Uint8Array,
  rule: CanonicalRule = ANY_CHAIN,
): Signature | undefined {
  const signature = sign(digest, secret, rule);
  return signature === undefined ? undefined : Buffer.from(signature).toString('hex');
}

/**
 * Adds the signature of each secret to the transaction, all of them in the order that a chain may require and each
 * once. Undefined when one of the secrets is not a private key.
 */
export function signTransaction(
  chainId: Digest,
  transaction: SignedTransaction,
  secrets: readonly Uint8Array[],
  rule?: CanonicalRule,
): SignedTransaction | undefined {
  const digest = signingDigest(chainId, packTransaction(transaction));
  const signatures = [...transaction.signatures];
  for (const secret of secrets) {
    const signature = signWithSecret(digest, secret, rule);
    if (signature === undefined) return undefined;
    signatures.push(signature);
  }
  return { ...transaction, signatures: inOrder(signatures) };
}
