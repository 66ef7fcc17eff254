import { NO_KEY, proveSigners } from '../crypto/prove.ts';
import { TRUSTED, type Group } from '../crypto/standing.ts';
import type { Digest, Signature, TransactionId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { PackedBlock, ProvedBlock } from './block.ts';
import { headerDigest } from './header.ts';
import { signingDigest, type PackedTransaction, type ProvedTransaction } from './transaction.ts';

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const KEY_BYTES = 33;

/** The key that has probably signed a transaction that carries one signature. */
export type ExpectedSigner = (packed: PackedTransaction) => PublicKey | undefined;

/**
 * Finds out who signed each transaction; forms of signatures are the chain's business. The answer is the same whatever is
 * expected, but a key that was expected is proved at a fraction of the price of one that is recovered. `groupOf` says what is
 * proved together (crypto/standing.ts): a wrong signature makes its own group dearer, and no other.
 */
export function proveTransactions(
  chainId: Digest,
  transactions: readonly PackedTransaction[],
  expectedSigner: ExpectedSigner = () => undefined,
  groupOf: (packed: PackedTransaction) => Group = () => TRUSTED,
): ProvedTransaction[] {
  const claims = transactions.flatMap((packed): Claim[] => {
    const signed = packed.transaction.signatures;
    if (signed.length === 0) return [];
    const digest = signingDigest(chainId, packed);
    const expected = signed.length === 1 ? expectedSigner(packed) : undefined;
    const group = groupOf(packed);
    return signed.map((signature) => ({ digest, signature, expected, group }));
  });
  const keys = keysBehind(claims);
  let at = 0;
  return transactions.map((packed) => ({ ...packed, signers: keys.slice(at, (at += packed.transaction.signatures.length)) }));
}

/** Finds out who signed one transaction. */
export function proveTransaction(chainId: Digest, packed: PackedTransaction): ProvedTransaction {
  const [proved = { ...packed, signers: [] }] = proveTransactions(chainId, [packed]);
  return proved;
}

/**
 * Finds out who signed a block and its transactions. `known` may give a transaction of that id that was proved before; it
 * counts only when it is the same to the byte, because an id doesn't cover the signatures.
 */
export function proveBlock(
  chainId: Digest,
  block: PackedBlock,
  known: (id: TransactionId) => ProvedTransaction | undefined = () => undefined,
): ProvedBlock {
  const before = block.transactions.map((packed) => {
    const other = known(packed.id);
    return other?.leaf === packed.leaf ? other : undefined;
  });
  const fresh = proveTransactions(
    chainId,
    block.transactions.filter((_, index) => before[index] === undefined),
  ).values();
  const transactions: ProvedTransaction[] = [];
  for (const other of before) {
    const proved = other ?? fresh.next().value;
    if (proved !== undefined) transactions.push(proved);
  }
  return { ...block, transactions, signer: blockSigner(block) };
}

/** The key behind a block's signature; undefined when no key can have made it. */
export function blockSigner({ header }: Pick<PackedBlock, 'header'>): PublicKey | undefined {
  return keysBehind([{ digest: headerDigest(header), signature: header.witness_signature, expected: undefined, group: TRUSTED }])[0];
}

interface Claim {
  readonly digest: Uint8Array;
  readonly signature: Signature;
  readonly expected: PublicKey | undefined;
  readonly group: Group;
}

function keysBehind(claims: readonly Claim[]): (PublicKey | undefined)[] {
  if (claims.length === 0) return [];
  const digests = Buffer.alloc(claims.length * DIGEST_BYTES);
  const signatures = Buffer.alloc(claims.length * SIGNATURE_BYTES);
  claims.forEach(({ digest, signature }, index) => {
    digests.set(digest, index * DIGEST_BYTES);
    signatures.write(signature, index * SIGNATURE_BYTES, SIGNATURE_BYTES, 'hex');
  });
  const { expected, keys } = expectedKeys(claims);
  const groups = Uint8Array.from(claims, ({ group }) => group);
  const { proven, signers } = proveSigners({ count: claims.length, digests, signatures, expected, keys, groups });
  const hex = Buffer.from(signers.buffer, signers.byteOffset, signers.byteLength);
  return claims.map((claim, index) => {
    if (proven[index] === 1) return claim.expected;
    // Compressed keys start with 2 or 3, so a zero stands for nobody.
    return hex[index * KEY_BYTES] === 0 ? undefined : hex.toString('hex', index * KEY_BYTES, (index + 1) * KEY_BYTES);
  });
}

/** The different keys that are expected, and for each claim which of them. */
function expectedKeys(claims: readonly Claim[]): { readonly expected: Uint16Array; readonly keys: Uint8Array } {
  const numbers = new Map<PublicKey, number>();
  const expected = Uint16Array.from(claims, ({ expected: key }) => {
    if (key === undefined) return NO_KEY;
    const number = numbers.get(key) ?? Math.min(numbers.size, NO_KEY);
    if (number < NO_KEY) numbers.set(key, number);
    return number;
  });
  return { expected, keys: Buffer.from([...numbers.keys()].join(''), 'hex') };
}
