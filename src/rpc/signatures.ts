import {
  canonicalRule,
  requireForm,
  requireSigners as requireSignersBy,
  signatureFormRefusals,
  withOneForm,
} from '../blocks/signature_form.ts';
import { packTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { requireTransactionSize, transactionSizeRefusals } from '../blocks/transaction_size.ts';
import { bringIntoOneForm, hasValidHeader, type CanonicalRule } from '../crypto/canonical.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { VerifierCall } from './services.ts';
import { transactionDigest } from './transactions.ts';

/** Refusals of recovering the signers of a transaction. */
export const signerRefusals = { ...transactionSizeRefusals, ...signatureFormRefusals };

const SIGNATURE = /^[0-9a-f]{130}$/i;

/** The services that recover signers. */
type Asking = Pick<VerifierCall, 'rows' | 'parameters' | 'verifiers'>;

/**
 * The key that made a signature; undefined for a text that is not a signature, or of a form that the chain does not
 * accept.
 */
export async function findSigner(asking: Asking, digest: Digest, signature: string): Promise<PublicKey | undefined> {
  const [key] = await findSigners(asking, digest, [signature]);
  return key;
}

/** The same for several signatures, in order. */
export async function findSigners(
  { rows, parameters, verifiers }: Asking,
  digest: Digest,
  signatures: readonly string[],
): Promise<(PublicKey | undefined)[]> {
  const said = parameters.rules.one_signature_form ? signatures.map(inOneForm) : signatures;
  return await findSignersByRule(canonicalRule(rows, parameters), { digest, signatures: said, verifiers });
}

/** A request to the verifiers. */
interface AskedSignatures extends Pick<VerifierCall, 'verifiers'> {
  readonly digest: Digest;
  readonly signatures: readonly string[];
}

/** The same with a rule given by the caller. */
export async function findSignersByRule(
  rule: CanonicalRule,
  { digest, signatures, verifiers }: AskedSignatures,
): Promise<(PublicKey | undefined)[]> {
  const areSound = signatures.map((signature) => isSignature(rule, signature));
  const sound = signatures.filter((_, index) => areSound[index]);
  const keys = (sound.length === 0 ? [] : await verifiers.recover(digest, sound)).values();
  return areSound.map((isSound) => (isSound ? keys.next().value : undefined));
}

function isSignature(rule: CanonicalRule, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  const bytes = Buffer.from(signature, 'hex');
  return hasValidHeader(bytes) && rule(bytes);
}

/** A signature as the front thread passes it to the chain; what is not a signature is left unchanged. */
function inOneForm(signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  bringIntoOneForm(bytes);
  return SIGNATURE.test(signature) ? bytes.toString('hex') : signature;
}

/**
 * The keys that signed a transaction, whose signatures need not be in the one form yet; refused as by the chain if a
 * signature has no key.
 */
export async function requireSigners(
  { rows, parameters, verifiers }: Asking,
  transaction: SignedTransaction,
): Promise<PublicKey[]> {
  const packed = packTransaction(transaction);
  // Each signature costs 50 µs, and a larger transaction can't be sent anyway.
  requireTransactionSize(packed.packed, parameters);
  const posted = parameters.rules.one_signature_form ? withOneForm(packed) : packed;
  const rule = canonicalRule(rows, parameters);
  const { signatures } = posted.transaction;
  for (const signature of signatures) requireForm(rule, signature);
  const signers =
    signatures.length === 0
      ? []
      : await verifiers.recover(transactionDigest(parameters, posted.transaction), signatures);
  return requireSignersBy(rule, { ...posted, signers });
}
