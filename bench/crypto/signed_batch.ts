import { present } from '../../src/base/assert.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import type { ExpectedSigners } from '../../src/crypto/verify_signers.ts';
import { sign } from '../../src/crypto/sign.ts';

/** `count` right signatures over different digests, by `signers` keys in turn. */
export function signedBatch(count: number, signers: number): ExpectedSigners {
  const secrets = Array.from({ length: signers }, (_, i) => sha256(Buffer.from(`signer ${i}`)));
  const digests = Array.from({ length: count }, (_, i) => sha256(Buffer.from(`digest ${i}`)));
  return {
    count,
    digests: Buffer.concat(digests),
    signatures: Buffer.concat(
      digests.map((digest, i) => present(sign(digest, present(secrets[i % signers], 'a secret')), 'a signature')),
    ),
    expected: Uint16Array.from(digests, (_, i) => i % signers),
    keys: Buffer.concat(secrets.map((secret) => present(derivePublicKey(secret), 'a key'))),
  };
}

/** The batch with wrong signatures at these places. */
export function withBadSignatures(batch: ExpectedSigners, places: readonly number[]): ExpectedSigners {
  const digests = Uint8Array.from(batch.digests);
  for (const place of places) digests.fill(0xee, place * 32, place * 32 + 32);
  return { ...batch, digests };
}
