import { proveTransaction } from '../blocks/prove.ts';
import type { AuthorityLookup } from '../blocks/authority_walk.ts';
import { requireSigners as requireSignersBy, signatureFormRefusals, signatureRules, withOneForm } from '../blocks/signature_form.ts';
import { packTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { requireTransactionSize, transactionSizeRefusals } from '../blocks/transaction_size.ts';
import { bringIntoOneForm, hasValidHeader, type CanonicalRule } from '../crypto/canonical.ts';
import { recoverKey } from '../crypto/recover.ts';
import { authorityLookup } from '../state/authorities.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { signatureForm } from '../state/signature_form.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';

/** What looking for the signers of a transaction may refuse. */
export const signerRefusals = { ...transactionSizeRefusals, ...signatureFormRefusals };

/** No rule of a chain, but how long one read may hold the others up: an account with the largest authorities costs some 80 µs. */
const MOST_READ_VISITS = 125;

const SIGNATURE = /^[0-9a-f]{130}$/i;

/** Which forms of signatures the chain takes now. */
export function canonicalRule(rows: RowReader, parameters: ChainParameters): CanonicalRule {
  return signatureRules[signatureForm(rows, parameters)];
}

/** The key that made a signature; undefined for a text that is none, or is of a form that the chain does not take. */
export function signerOf(rows: RowReader, parameters: ChainParameters, digest: Digest, signature: string): PublicKey | undefined {
  return signerBy(canonicalRule(rows, parameters), digest, parameters.rules.one_signature_form ? inOneForm(signature) : signature);
}

/** The same with a rule of the asker's. */
export function signerBy(rule: CanonicalRule, digest: Digest, signature: string): PublicKey | undefined {
  if (!SIGNATURE.test(signature)) return undefined;
  const bytes = Buffer.from(signature, 'hex');
  if (!hasValidHeader(bytes) || !rule(bytes)) return undefined;
  const key = recoverKey(Buffer.from(digest, 'hex'), bytes);
  return key === undefined ? undefined : Buffer.from(key).toString('hex');
}

/** A signature as the front hands it to the chain; what is none stays as it is. */
function inOneForm(signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  bringIntoOneForm(bytes);
  return SIGNATURE.test(signature) ? bytes.toString('hex') : signature;
}

/** The keys that signed a transaction which could be posted so; refused as the chain would when a signature has none. */
export function requireSigners(rows: RowReader, parameters: ChainParameters, transaction: SignedTransaction): PublicKey[] {
  const packed = packTransaction(transaction);
  // Each signature costs 50 µs, and what is larger can't be sent anyway.
  requireTransactionSize(packed.packed, parameters);
  const posted = parameters.rules.one_signature_form ? withOneForm(packed) : packed;
  return requireSignersBy(canonicalRule(rows, parameters), proveTransaction(parameters.chainId, posted));
}

/** Who may act for accounts at the head, to look into as many of them as one read may. */
export function readAuthorities(rows: RowReader, { rules }: ChainParameters): AuthorityLookup {
  return authorityLookup(rows, Math.min(rules.authority_visits, MOST_READ_VISITS));
}
