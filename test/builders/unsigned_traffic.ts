import { present } from '../../src/base/assert.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import { packTransaction, type VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import type { Json } from '../../src/codec/json.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import { testKey, encoding, testSecret } from './chain.ts';

// The same well-formed signature for everything: signers are stated here, not verified.
const anySignature = present(signWithSecret(sha256(Buffer.from('any')), testSecret('any')), 'a signature');

const keys = new Map<string, string>();

function keyNamed(name: string): string {
  const known = keys.get(name) ?? testKey(name);
  keys.set(name, known);
  return known;
}

/** A transaction as a verifier would pass it on, without elliptic-curve work: for runs of millions of operations. */
export function unverifiedTransaction(
  chain: Chain,
  operations: readonly Json[],
  signer: string,
  expiration: number,
): VerifiedTransaction {
  const packed = packTransaction({
    ...blockReference(chain.head.id),
    expiration,
    operations: operations.map((operation) => operationCodec.fromJson(operation, encoding)),
    extensions: [],
    signatures: [anySignature],
  });
  return { ...packed, signers: [keyNamed(signer)] };
}
