import { sha256Binary } from '../crypto/hashes.ts';
import { NO_KEY, verifyKnownSigners, verifySigners, type ExpectedSigners } from '../crypto/verify_signers.ts';
import { TRUSTED } from '../crypto/sender_reputation.ts';
import type { Digest, TransactionId } from '../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import type { PackedBlock, VerifiedBlock } from './block.ts';
import { headerDigest } from './header.ts';
import { SigningDigests, type PackedTransaction, type VerifiedTransaction } from './transaction.ts';

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const KEY_BYTES = 33;

/** Expectations about transactions, by their indexes. Wrong ones change the cost and never the result. */
export interface Expectations {
  /**
   * The keys that have probably signed a transaction, in any order: if they did, verifying that costs a fraction of
   * recovering them.
   */
  readonly expected?: readonly (readonly PublicKey[] | undefined)[];
  /**
   * The groups that are verified together (crypto/sender_reputation.ts): a wrong signature makes only its own group
   * more expensive.
   */
  readonly groups?: Uint8Array;
}

/** Recovers the signers of each transaction; which forms of signatures are accepted is left to the chain. */
export function verifyTransactions(
  chainId: Digest,
  transactions: readonly PackedTransaction[],
  expectations: Expectations = {},
): VerifiedTransaction[] {
  const signers = findSigners(chainId, transactions, expectations);
  // Written out member by member: a spread costs as much as a hash.
  return transactions.map(({ transaction, packed, unsignedBytes, id, leaf }, index) => {
    return { transaction, packed, unsignedBytes, id, leaf, signers: signers[index] ?? NOBODY };
  });
}

const NOBODY: readonly never[] = [];

type Signed = Pick<PackedTransaction, 'packed' | 'unsignedBytes'>;
type Signers = readonly (PublicKey | undefined)[];

/** The keys of the signatures of each transaction, in order; undefined where no key can have made one. */
export function findSigners(
  chainId: Digest,
  transactions: readonly Signed[],
  { expected = [], groups }: Expectations,
): Signers[] {
  const digestsOf = new SigningDigests(chainId);
  const counts = transactions.map(signatureCount);
  const digests = transactions.map((packed, index) => (counts[index] === 0 ? '' : digestsOf.of(packed)));
  const guessed = guessedSigners(transactions, digests, expected);
  const open = counts.reduce(
    (sum, count, index) => sum + (guessed.get(index)?.filter((key) => key === undefined).length ?? count),
    0,
  );
  const batch = new SignatureBatchBuilder(open);
  for (const [index, { packed }] of transactions.entries()) {
    const count = counts[index] ?? 0;
    const known = guessed.get(index);
    const key = count === 1 ? expected[index]?.[0] : undefined;
    for (let k = 0; k < count; k++)
      if (known?.[k] === undefined)
        batch.add(digests[index] ?? '', packed, signatureOffset(packed, count, k), key, groups?.[index]);
  }
  const keys = batch.keys();
  let at = 0;
  return counts.map(
    (count, index) => guessed.get(index)?.map((key) => key ?? keys[at++]) ?? keys.slice(at, (at += count)),
  );
}

/** With more, recovery costs no more than trying each with each. */
export const MOST_GUESSED = 3;

/** A transaction with several expected signers. */
interface Guess {
  readonly index: number;
  readonly packed: Uint8Array;
  readonly digest: string;
  readonly keys: readonly PublicKey[];
  /** The key of each signature, as far as it is found. */
  readonly found: (PublicKey | undefined)[];
}

/**
 * By index, what is found of transactions with several expected signers: the order of signatures says nothing about
 * whose they are. The first one is tried alone at first, because it tells which keys are left for the others: two
 * signatures then take two or three attempts instead of four.
 */
function guessedSigners(
  transactions: readonly Signed[],
  digests: readonly string[],
  expected: NonNullable<Expectations['expected']>,
): Map<number, Signers> {
  const guesses: Guess[] = [];
  for (const [index, signed] of transactions.entries()) {
    const keys = expected[index] ?? [];
    if (keys.length <= 1 || keys.length > MOST_GUESSED) continue;
    const found = Array.from({ length: signatureCount(signed) }, (): PublicKey | undefined => undefined);
    guesses.push({ index, packed: signed.packed, digest: digests[index] ?? '', keys, found });
  }
  if (guesses.length === 0) return new Map();
  tryKeys(guesses, ({ keys }, place) => (place === 0 ? keys.slice(0, -1) : []));
  tryKeys(guesses, ({ keys, found: [first] }, place) => {
    if (first !== undefined) return place === 0 ? [] : keys.filter((key) => key !== first);
    return place === 0 ? keys.slice(-1) : keys;
  });
  return new Map(guesses.map(({ index, found }) => [index, found]));
}

/** Tries for each signature those keys that `keysFor` says, all together. */
function tryKeys(guesses: readonly Guess[], keysFor: (guess: Guess, place: number) => readonly PublicKey[]): void {
  const attempts = guesses.flatMap((guess) =>
    guess.found.flatMap((_, place) => keysFor(guess, place).map((key) => ({ guess, place, key }))),
  );
  const batch = new SignatureBatchBuilder(attempts.length);
  for (const { guess, place, key } of attempts)
    batch.add(guess.digest, guess.packed, signatureOffset(guess.packed, guess.found.length, place), key);
  const verdicts = batch.known();
  for (const [at, { guess, place, key }] of attempts.entries()) if (verdicts[at] === 1) guess.found[place] = key;
}

/** The place of signature k. */
function signatureOffset(packed: Uint8Array, count: number, k: number): number {
  return packed.length - (count - k) * SIGNATURE_BYTES;
}

/** The number of signatures after the unsigned form. */
function signatureCount({ packed, unsignedBytes }: Signed): number {
  return Math.trunc((packed.length - unsignedBytes) / SIGNATURE_BYTES);
}

/** Recovers the signers of one transaction. */
export function verifyTransaction(chainId: Digest, packed: PackedTransaction): VerifiedTransaction {
  const [verified = { ...packed, signers: [] }] = verifyTransactions(chainId, [packed]);
  return verified;
}

/**
 * Recovers the signers of a block and its transactions. `known` may return a transaction of that id that was verified
 * before; it is used only when it is identical to the byte, because an id doesn't cover the signatures.
 */
export function verifyBlock(
  chainId: Digest,
  block: PackedBlock,
  known: (id: TransactionId) => VerifiedTransaction | undefined = () => undefined,
): VerifiedBlock {
  const before = block.transactions.map((packed) => {
    const other = known(packed.id);
    return other?.leaf === packed.leaf ? other : undefined;
  });
  const fresh = verifyTransactions(
    chainId,
    block.transactions.filter((_, index) => before[index] === undefined),
  ).values();
  const transactions: VerifiedTransaction[] = [];
  for (const other of before) {
    const verified = other ?? fresh.next().value;
    if (verified !== undefined) transactions.push(verified);
  }
  return { ...block, transactions, signer: blockSigner(block) };
}

/** Expectations about blocks. Wrong ones change the cost and never the result. */
export interface BlockExpectations {
  /** The keys that have probably signed the blocks, by their indexes. */
  readonly producers: readonly (PublicKey | undefined)[];
  /** The keys that have probably signed the transactions of all blocks, one behind the other. */
  readonly signers: readonly (readonly PublicKey[] | undefined)[];
}

/** Recovers the signers of blocks; who signed their transactions is taken on somebody's word. */
export function verifyHeaders(
  blocks: readonly PackedBlock[],
  producers: BlockExpectations['producers'],
): VerifiedBlock[] {
  const keys = headerKeys(blocks, producers);
  return blocks.map(({ number, id, header, headerBytes, packed, transactions }, index) => {
    const unsigned = transactions.map((one) => {
      const { transaction, packed: bytes, unsignedBytes, id: transactionId, leaf } = one;
      return { transaction, packed: bytes, unsignedBytes, id: transactionId, leaf, signers: NOBODY };
    });
    return { number, id, header, headerBytes, packed, transactions: unsigned, signer: keys[index], isUnverified: true };
  });
}

function headerKeys(blocks: readonly PackedBlock[], producers: BlockExpectations['producers']): Signers {
  const batch = new SignatureBatchBuilder(blocks.length);
  for (const [index, { packed, headerBytes }] of blocks.entries()) {
    const end = headerBytes - SIGNATURE_BYTES;
    batch.add(sha256Binary(packed.subarray(0, end)), packed, end, producers[index]);
  }
  return batch.keys();
}

/** Recovers the signers of blocks and their transactions, all together. */
export function verifyBlocks(
  chainId: Digest,
  blocks: readonly PackedBlock[],
  { producers, signers }: BlockExpectations,
): VerifiedBlock[] {
  const transactions = verifyTransactions(
    chainId,
    blocks.flatMap((block) => block.transactions),
    { expected: signers },
  );
  const keys = headerKeys(blocks, producers);
  let at = 0;
  return blocks.map(({ number, id, header, headerBytes, packed, transactions: { length } }, index) => {
    return {
      number,
      id,
      header,
      headerBytes,
      packed,
      transactions: transactions.slice(at, (at += length)),
      signer: keys[index],
    };
  });
}

/** The key of a block's signature; undefined when no key can have made it. */
export function blockSigner({ header }: Pick<PackedBlock, 'header'>): PublicKey | undefined {
  const batch = new SignatureBatchBuilder(1);
  batch.add(
    Buffer.from(headerDigest(header)).toString('latin1'),
    Buffer.from(header.witness_signature, 'hex'),
    0,
    undefined,
  );
  return batch.keys()[0];
}

/** Collects signatures in the form in which they are verified together. */
class SignatureBatchBuilder {
  readonly #digests: Buffer;
  readonly #signatures: Buffer;
  readonly #expected: Uint16Array;
  readonly #groups: Uint8Array;
  /** The distinct expected keys, by number. */
  readonly #expectedKeys: PublicKey[] = [];
  readonly #numbers = new Map<PublicKey, number>();
  #count = 0;

  constructor(count: number) {
    this.#digests = Buffer.alloc(count * DIGEST_BYTES);
    this.#signatures = Buffer.alloc(count * SIGNATURE_BYTES);
    this.#expected = new Uint16Array(count);
    this.#groups = new Uint8Array(count);
  }

  /** Adds a digest as binary text, and the signature at offset `from` of `bytes`. */
  add(digest: string, bytes: Uint8Array, from: number, expected: PublicKey | undefined, group: number = TRUSTED): void {
    const index = this.#count++;
    this.#digests.write(digest, index * DIGEST_BYTES, DIGEST_BYTES, 'latin1');
    const to = index * SIGNATURE_BYTES;
    for (let k = 0; k < SIGNATURE_BYTES; k++) this.#signatures[to + k] = bytes[from + k] ?? 0;
    this.#expected[index] = this.#keyNumber(expected);
    this.#groups[index] = group;
  }

  /** The key of each signature, in order; undefined where no key can have made it. */
  keys(): (PublicKey | undefined)[] {
    if (this.#count === 0) return [];
    const { verified, signers } = verifySigners({ ...this.#batch(), groups: this.#groups });
    const hex = Buffer.from(signers.buffer, signers.byteOffset, signers.byteLength);
    return Array.from(this.#expected, (number, index) => {
      if (verified[index] === 1) return this.#expectedKeys[number];
      // Compressed keys start with 2 or 3, so a zero means no key.
      return hex[index * KEY_BYTES] === 0 ? undefined : hex.toString('hex', index * KEY_BYTES, (index + 1) * KEY_BYTES);
    });
  }

  /** 1 for each that the expected key is known to have signed. */
  known(): Uint8Array {
    return verifyKnownSigners(this.#batch());
  }

  #batch(): ExpectedSigners {
    return {
      count: this.#count,
      digests: this.#digests,
      signatures: this.#signatures,
      expected: this.#expected,
      keys: Buffer.from(this.#expectedKeys.join(''), 'hex'),
    };
  }

  #keyNumber(key: PublicKey | undefined): number {
    // The null key has no private key, so it cannot have signed anything.
    if (key === undefined || key === NULL_KEY) return NO_KEY;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    // Only as many as their numbers can represent; others have to be recovered.
    if (this.#expectedKeys.length === NO_KEY) return NO_KEY;
    this.#numbers.set(key, this.#expectedKeys.length);
    return this.#expectedKeys.push(key) - 1;
  }
}
