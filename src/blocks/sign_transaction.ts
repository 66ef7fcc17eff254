import { isFcCanonical, type CanonicalRule } from '../crypto/canonical.ts';
import { sign } from '../crypto/sign.ts';
import type { Digest, Signature } from '../values/hash.ts';
import { inOrder } from './signature_form.ts';
import { packTransaction, signingDigest, type SignedTransaction } from './transaction.ts';

/** What all chains take at any time. It costs two attempts on average, where a chain that takes any low s costs one. */
const ANY_CHAIN: CanonicalRule = isFcCanonical;

/** The signature of a digest as hex digits, one that every chain takes unless `rule` asks for less; undefined when the secret is no private key. */
export function signatureOf(digest: Uint8Array, secret: Uint8Array, rule: CanonicalRule = ANY_CHAIN): Signature | undefined {
  const signature = sign(digest, secret, rule);
  return signature === undefined ? undefined : Buffer.from(signature).toString('hex');
}

/**
 * The transaction with the signature of each secret added, all of them in the order that a chain may ask for and each once.
 * Undefined when one of the secrets is no private key.
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
    const signature = signatureOf(digest, secret, rule);
    if (signature === undefined) return undefined;
    signatures.push(signature);
  }
  return { ...transaction, signatures: inOrder(signatures) };
}
