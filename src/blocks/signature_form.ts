import { refusals } from '../base/refusal.ts';
import {
  bringIntoOneForm,
  hasValidHeader,
  isFcCanonical,
  isLooselyCanonical,
  isOfOneForm,
  type CanonicalRule,
} from '../crypto/canonical.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { signatureForm } from '../state/signature_form.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Signature } from '../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import { withSignatureBytes, type PackedTransaction, type VerifiedTransaction } from './transaction.ts';

const refuse = refusals({
  signature_without_key: {
    text: 'no key can have made the signature {signature}',
    lineage: 'unable to reconstruct public key from signature',
  },
  signature_not_canonical: {
    text: 'the signature {signature} is not in canonical form; sign again, with r and s in range and s in its lower half',
    lineage: 'signature is not canonical',
  },
});
const refuseOrder = refusals({
  signatures_not_in_order: 'the signatures are not in ascending order, each once: {signature} stands behind {before}',
});

/** Refusals of a signature by its form, whichever key has made it. */
export const signatureFormRefusals = refuse.texts;

/** The rule for each form of signatures that a chain can accept. */
export const signatureRules = { one: isOfOneForm, loose: isLooselyCanonical, first: isFcCanonical } as const;

/** The form of signatures that the chain accepts now (wire_format.md#signatures). */
export function canonicalRule(rows: RowReader, parameters: ChainParameters): CanonicalRule {
  return signatureRules[signatureForm(rows, parameters)];
}

const SIGNATURE_BYTES = 65;
const scratch = Buffer.alloc(SIGNATURE_BYTES); // shared: the signature of every transaction is checked

/** The key of a signature; refused when there is none or the signature has another form than the rule requires. */
export function requireSigner(rule: CanonicalRule, signature: Signature, signer: PublicKey | undefined): PublicKey {
  requireForm(rule, signature);
  // The null key cannot sign, whatever is claimed: locked accounts and stopped witnesses have it.
  return signer === undefined || signer === NULL_KEY ? refuse.signature_without_key({ signature }) : signer;
}

/** Refuses what is not a signature, and a signature of another form than the rule requires. */
export function requireForm(rule: CanonicalRule, signature: Signature): void {
  const isWhole = scratch.write(signature, 'hex') === SIGNATURE_BYTES && signature.length === SIGNATURE_BYTES * 2;
  if (!isWhole || !hasValidHeader(scratch)) refuse.signature_without_key({ signature });
  if (!rule(scratch)) refuse.signature_not_canonical({ signature });
}

/** The keys of a transaction's signatures, in order; refused when one has another form than the rule requires. */
export function requireSigners(
  rule: CanonicalRule,
  { transaction: { signatures }, signers }: VerifiedTransaction,
): PublicKey[] {
  const [first] = signatures;
  // The case of nearly every transaction.
  if (first !== undefined && signatures.length === 1) return [requireSigner(rule, first, signers[0])];
  const keys = signatures.map((signature, index) => requireSigner(rule, signature, signers[index]));
  // Equal signatures have equal keys, which are refused elsewhere.
  if (rule === isOfOneForm) requireOrder(signatures, (before, signature) => before <= signature);
  return keys;
}

/** Refuses signatures that aren't in the one form and order, or duplicates, before their keys are recovered. */
export function requireOneForm(signatures: readonly Signature[]): void {
  for (const signature of signatures) requireForm(isOfOneForm, signature);
  requireOrder(signatures, (before, signature) => before < signature);
}

function requireOrder(
  signatures: readonly Signature[],
  isInOrder: (before: Signature, signature: Signature) => boolean,
): void {
  for (const [index, signature] of signatures.entries()) {
    const before = signatures[index - 1];
    if (before !== undefined && !isInOrder(before, signature))
      refuseOrder.signatures_not_in_order({ signature, before });
  }
}

/**
 * The transaction with its signatures in the one form and order that a chain may require; what is not a signature is
 * left unchanged. The id stays the same.
 */
export function withOneForm(packed: PackedTransaction): PackedTransaction {
  const own = packed.packed.subarray(packed.unsignedBytes);
  if (isInOneForm(own)) return packed;
  const bytes = own.slice();
  for (const each of split(bytes)) bringIntoOneForm(each);
  const sorted = split(bytes.slice()).sort((a, b) => Buffer.compare(a, b));
  for (const [k, each] of split(bytes).entries()) each.set(sorted[k] ?? each);
  return withSignatureBytes(packed, bytes);
}

/** Refuses signatures behind an unsigned form of that length that a node would have brought into the one form and order. */
export function requireRelayedForm(packed: Uint8Array, unsignedBytes: number): void {
  if (!isInOneForm(packed.subarray(unsignedBytes)))
    new ByteReader(packed).refuse('its signatures are not in the one form and order of this chain');
}

function isInOneForm(bytes: Uint8Array): boolean {
  if (bytes.length < SIGNATURE_BYTES) return true;
  // Nearly every transaction has one, and this looks at all of them.
  if (bytes.length < 2 * SIGNATURE_BYTES) return isOfOneForm(bytes.subarray(bytes.length - SIGNATURE_BYTES));
  const signatures = split(bytes);
  return signatures.every(
    (each, k) => isOfOneForm(each) && (k === 0 || Buffer.compare(signatures[k - 1] ?? each, each) <= 0),
  );
}

/** Views of the signatures, which are the last bytes. */
function split(bytes: Uint8Array): Uint8Array[] {
  const count = Math.trunc(bytes.length / SIGNATURE_BYTES);
  const start = bytes.length - count * SIGNATURE_BYTES;
  return Array.from({ length: count }, (_, k) =>
    bytes.subarray(start + k * SIGNATURE_BYTES, start + (k + 1) * SIGNATURE_BYTES),
  );
}

/** Signatures that were just made or combined, as hex digits, each once and in the order that a chain may require. */
export function inOrder(signatures: readonly Signature[]): Signature[] {
  return [...new Set(signatures)].toSorted();
}
