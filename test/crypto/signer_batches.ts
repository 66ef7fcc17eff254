import assert from 'node:assert/strict';
import { present } from '../../src/base/assert.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { recoverKey } from '../../src/crypto/recover.ts';
import { sign } from '../../src/crypto/sign.ts';
import { NO_KEY, verifySigners } from '../../src/crypto/verify_signers.ts';
import { bytes32, publicKeyBytes, bytesToNumber } from '../builders/chosen_signatures.ts';
import { toHex } from '../builders/recorded_keys.ts';

/** A signature to verify, and the expected key. */
export interface Item {
  digest: Uint8Array;
  signature: Uint8Array;
  /** Undefined: no key is expected. */
  key: Uint8Array | undefined;
}

/** The secret of one of forty signers. */
export const signerSecret = (signer: number): bigint => bytesToNumber(sha256(Buffer.from(`signer ${signer}`)));
const keys = Array.from({ length: 40 }, (_, signer) => publicKeyBytes(signerSecret(signer)));
/** The public key of one of forty signers. */
export const keyOfSigner = (signer: number): Uint8Array => present(keys[signer], 'the key');
/** A digest by its name or number. */
export const textDigest = (text: string | number): Uint8Array => sha256(Buffer.from(`digest ${text}`));

/** Signed and recovered once: batches differ in what they hold, and what they have in common is most of them. */
const signed = new Map<string, Item>();
const recoveries = new Map<string, Uint8Array | undefined>();

/** An item of a batch as it should be. */
export function honest(i: number, signer = i % 7): Item {
  const digest = textDigest(i);
  const name = `${i} ${signer}`;
  const signature = signed.get(name)?.signature ?? present(sign(digest, bytes32(signerSecret(signer))), 'a signature');
  const item = { digest, signature, key: keyOfSigner(signer) };
  signed.set(name, item);
  return item;
}

function recoveredKey({ digest, signature }: Item): Uint8Array | undefined {
  const name = `${toHex(digest)} ${toHex(signature)}`;
  if (!recoveries.has(name)) recoveries.set(name, recoverKey(digest, signature));
  return recoveries.get(name);
}

/** Batches of at least this size are verified as a whole: all, or none. */
export const SIZES = [0, Infinity];

/** Verifies a batch by native code, in groups of senders where they are given. */
export function verify(
  items: readonly Item[],
  groups?: Uint8Array,
  fewestTogether?: number,
): ReturnType<typeof verifySigners> {
  const different = [...new Set(items.flatMap(({ key }) => (key === undefined ? [] : [toHex(key)])))];
  const batch = {
    count: items.length,
    digests: Buffer.concat(items.map(({ digest }) => digest)),
    signatures: Buffer.concat(items.map(({ signature }) => signature)),
    expected: Uint16Array.from(items, ({ key }) => (key === undefined ? NO_KEY : different.indexOf(toHex(key)))),
    keys: Buffer.from(different.join(''), 'hex'),
    ...(groups === undefined ? {} : { groups }),
  };
  return verifySigners(batch, fewestTogether);
}

/**
 * Verification must say exactly what recovery, one by one, says, in whatever way it is done; answers how many are
 * verified.
 */
export function assertAsRecovered(items: readonly Item[]): number {
  const recovered = items.map((item) => toHex(recoveredKey(item)));
  const isExpected = items.map(({ key }, i) => recovered[i] !== undefined && recovered[i] === toHex(key));
  for (const fewestTogether of SIZES) {
    const { verified, signers } = verify(items, undefined, fewestTogether);
    items.forEach((_, i) => {
      const item = `item ${i}, together from ${fewestTogether}`;
      assert.equal(verified[i], isExpected[i] === true ? 1 : 0, item);
      assert.equal(toHex(signers.subarray(i * 33, i * 33 + 33)), recovered[i] ?? '0'.repeat(66), item);
    });
  }
  return isExpected.filter((is) => is).length;
}

/** A batch of items as they should be. */
export const honestBatch = (count: number): Item[] => Array.from({ length: count }, (_, i) => honest(i));
