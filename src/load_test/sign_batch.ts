import { present } from '../base/assert.ts';
import { inOrder, signatureRules } from '../blocks/signature_form.ts';
import { transaction, type SignedTransaction } from '../blocks/transaction.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { sha256Binary, sha256Hex } from '../crypto/hashes.ts';
import { signMany } from '../crypto/sign_many.ts';
import type { Profile } from '../values/profile.ts';
import { ID_DIGITS } from '../values/hash.ts';

/** A transaction and the secrets that sign it. */
export interface Signable {
  readonly unsigned: SignedTransaction;
  readonly secrets: readonly Uint8Array[];
}

/** The transaction with its signatures. */
export interface Signed {
  readonly transaction: SignedTransaction;
  /** 40 hex digits. */
  readonly id: string;
}

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const message = new ByteWriter(4096);

/**
 * Signs many transactions with secrets that are known to be private keys: the signatures of signTransaction, made
 * together.
 */
export function signBatch(chainId: string, batch: readonly Signable[], { rules }: Profile): Signed[] {
  const count = batch.reduce((sum, { secrets }) => sum + secrets.length, 0);
  const digests = Buffer.allocUnsafeSlow(count * DIGEST_BYTES);
  const secrets = Buffer.allocUnsafeSlow(count * DIGEST_BYTES);
  const chainBytes = Buffer.from(chainId, 'hex');
  let at = 0;
  const ids = batch.map(({ unsigned, secrets: own }) => {
    message.reset();
    message.bytes(chainBytes);
    transaction.write(message, unsigned);
    const bytes = message.view();
    const digest = sha256Binary(bytes);
    for (const secret of own) {
      digests.write(digest, at, 'latin1');
      secrets.set(secret, at);
      at += DIGEST_BYTES;
    }
    return sha256Hex(bytes.subarray(chainBytes.length)).slice(0, ID_DIGITS);
  });
  // A chain with a single form of signatures takes only that one, which takes half the attempts; others get the form
  // that all accept.
  const rule = rules === 'interface' ? signatureRules.one : signatureRules.first;
  const made = Buffer.from(
    present(signMany({ digests, secrets }, rule), 'signatures of secrets that were tried before'),
  );
  secrets.fill(0);
  return withSignatures(batch, ids, made.toString('hex'));
}

function withSignatures(batch: readonly Signable[], ids: readonly string[], digits: string): Signed[] {
  let at = 0;
  return batch.map(({ unsigned, secrets }, index) => {
    const signatures = secrets.map(() => digits.slice(at, (at += SIGNATURE_BYTES * 2)));
    return { transaction: { ...unsigned, signatures: inOrder(signatures) }, id: ids[index] ?? '' };
  });
}
