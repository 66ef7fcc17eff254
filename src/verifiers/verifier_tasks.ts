import { readBlock, type PackedBlock, type VerifiedBlock } from '../blocks/block.ts';
import {
  verifyBlocks,
  verifyHeaders,
  verifyTransactions,
  findSigners,
  type BlockExpectations,
} from '../blocks/verify.ts';
import { readTransaction, type PackedTransaction } from '../blocks/transaction.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { recoverKeys } from '../crypto/recover.ts';
import type { Digest, Signature } from '../values/hash.ts';
import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';
import { accountAuthorities, type AccountAuthority } from '../state/tables/account_authority.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { BytesOf } from '../base/bytes_of.ts';
import { findAsked, expectedProducers, expectedSigners, learnSigners } from './expected_signers.ts';
import { readSigner, readSigners, writeSigner, writeSigners } from '../blocks/finding_bytes.ts';
import type { SignerHints } from './signer_hints.ts';
import { splitPackedItems } from '../blocks/packed_items.ts';
import type { CheckFindings } from './check_findings.ts';
import type { VerifierReport } from './verifier_report.ts';
import { encodeVerifiedBatch, type VerifiedBroadcast } from '../blocks/verified_batch.ts';
import { encodeVerifiedBlocks } from '../blocks/verified_blocks.ts';

// The verifiers' work besides broadcasts: each task is one buffer, and so is each result.

/** The tasks of a verifier: each takes and returns bytes, so that they can be moved between threads. */
export interface VerifierTasks {
  /** A batch of broadcasts. */
  readonly verify: { readonly question: Uint8Array<ArrayBuffer>; readonly answer: BytesOf<VerifierReport> };
  /** A transaction that is only checked. */
  readonly verifyForCheck: { readonly question: Uint8Array<ArrayBuffer>; readonly answer: BytesOf<CheckFindings> };
  /** Whole blocks with their transactions. */
  readonly verifyBlocks: {
    readonly question: Uint8Array<ArrayBuffer>;
    readonly answer: BytesOf<readonly VerifiedBlock[]>;
  };
  /** Whole blocks, but the signers of the transactions are taken on somebody's word. */
  readonly verifyHeaders: {
    readonly question: Uint8Array<ArrayBuffer>;
    readonly answer: BytesOf<readonly VerifiedBlock[]>;
  };
  /** Transactions that a block names and nobody has sent before. */
  readonly verifyPacked: {
    readonly question: Uint8Array<ArrayBuffer>;
    readonly answer: BytesOf<readonly VerifiedBroadcast[]>;
  };
  /** The signers of some transactions of a block. */
  readonly signersOf: {
    readonly question: Uint8Array<ArrayBuffer>;
    readonly answer: BytesOf<readonly TransactionSigners[]>;
  };
  /** The keys behind signatures of any digests. */
  readonly recover: {
    readonly question: Uint8Array<ArrayBuffer>;
    readonly answer: BytesOf<readonly (PublicKey | undefined)[]>;
  };
}

/** For each signature of a transaction the key that made it; undefined where no key can have made it. */
export type TransactionSigners = readonly (PublicKey | undefined)[];

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const KEY_BYTES = 33;

/** From what a verifier knows who has probably signed. */
export interface SignerSources {
  readonly view: CommittedRows;
  readonly hints: SignerHints;
}

/**
 * Decodes packed blocks, each behind its length, and recovers the signers of the blocks and their transactions; refuses
 * a malformed one. With a view of the state, who has probably signed is looked up first, which makes most of it several
 * times as cheap.
 */
export function verifyPackedBlocks(
  chainId: Digest,
  bytes: Uint8Array,
  sources?: SignerSources,
): BytesOf<readonly VerifiedBlock[]> {
  const blocks = Array.from(splitPackedItems(bytes), readBlock);
  return encodeVerifiedBlocks(
    sources === undefined ? verifyBlocks(chainId, blocks, NOTHING_EXPECTED) : verifyExpected(chainId, blocks, sources),
  );
}

/** The same, but who signed the transactions is taken on somebody's word. */
export function verifyPackedHeaders(bytes: Uint8Array, sources?: SignerSources): BytesOf<readonly VerifiedBlock[]> {
  const blocks = Array.from(splitPackedItems(bytes), readBlock);
  const names = blocks.map(({ header }) => header.witness);
  return encodeVerifiedBlocks(
    verifyHeaders(blocks, sources === undefined ? [] : expectedProducers(sources.view, names)),
  );
}

const NOTHING_EXPECTED: BlockExpectations = { producers: [], signers: [] };

function verifyExpected(
  chainId: Digest,
  blocks: readonly PackedBlock[],
  { view, hints }: SignerSources,
): VerifiedBlock[] {
  const asked = blocks.flatMap(({ transactions }) => transactions.map(({ transaction }) => findAsked(transaction)));
  const expected = expectedSigners(authoritiesIn(view), asked, hints);
  const producers = expectedProducers(
    view,
    blocks.map(({ header }) => header.witness),
  );
  const verified = verifyBlocks(chainId, blocks, { producers, signers: expected.map((one) => one?.keys) });
  const signers = verified.flatMap(({ transactions }) => transactions.map((transaction) => transaction.signers));
  learnSigners(hints, asked, expected, signers);
  return verified;
}

/** Not cached: the next blocks are committed before they would be read again. */
const authoritiesIn =
  (view: CommittedRows) =>
  (names: readonly AccountName[]): (AccountAuthority | undefined)[] =>
    view.getMany(accountAuthorities, names);

/** Decodes packed transactions and recovers their signers, as those of blocks; refuses a malformed one. */
export function verifyPackedTransactions(
  chainId: Digest,
  bytes: Uint8Array,
  sources?: SignerSources,
): BytesOf<readonly VerifiedBroadcast[]> {
  const input = new ByteReader(bytes);
  const transactions: PackedTransaction[] = [];
  while (input.remaining > 0) transactions.push(wholeTransaction(input.bytes(input.u32())));
  const asked = transactions.map(({ transaction }) => findAsked(transaction));
  const expected = sources === undefined ? [] : expectedSigners(authoritiesIn(sources.view), asked, sources.hints);
  const verified = verifyTransactions(chainId, transactions, { expected: expected.map((one) => one?.keys) });
  if (sources !== undefined)
    learnSigners(
      sources.hints,
      asked,
      expected,
      verified.map(({ signers }) => signers),
    );
  return encodeVerifiedBatch(verified.map((one) => ({ ticket: 0, verified: one })));
}

function wholeTransaction(packed: Uint8Array): PackedTransaction {
  const input = new ByteReader(packed);
  const transaction = readTransaction(input);
  input.expectEnd();
  return transaction;
}

/** The parts of a transaction that are needed to recover its signers. */
type Signed = Pick<PackedTransaction, 'packed' | 'unsignedBytes'>;

export function encodePackedTransactions(transactions: readonly Signed[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(transactions.reduce((sum, { packed }) => sum + packed.length + 8, 16));
  for (const { packed, unsignedBytes } of transactions) {
    out.u32(unsignedBytes);
    out.u32(packed.length);
    out.bytes(packed);
  }
  return out.finish();
}

/** Recovers the signers of each transaction. */
export function signersOfPacked(chainId: Digest, bytes: Uint8Array): BytesOf<readonly TransactionSigners[]> {
  const input = new ByteReader(bytes);
  const transactions: Signed[] = [];
  while (input.remaining > 0) transactions.push({ unsignedBytes: input.u32(), packed: input.bytes(input.u32()) });
  const out = new ByteWriter(transactions.length * (KEY_BYTES + 1));
  for (const signers of findSigners(chainId, transactions, {})) writeSigners(out, signers);
  return out.finish();
}

/** The signers of each of `count` transactions; undefined where no key can have made a signature. */
export function decodeSigners(bytes: BytesOf<readonly TransactionSigners[]>, count: number): TransactionSigners[] {
  const input = new ByteReader(bytes);
  return Array.from({ length: count }, () => readSigners(input));
}

/** Encodes signatures of one digest, 65 bytes each. */
export function encodeSignatures(digest: Digest, signatures: readonly Signature[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(signatures.length * (DIGEST_BYTES + SIGNATURE_BYTES));
  for (const signature of signatures) {
    out.hex(digest);
    out.hex(signature);
  }
  return out.finish();
}

/** Recovers the key behind each signature. */
export function recoverSignatures(bytes: Uint8Array): BytesOf<readonly (PublicKey | undefined)[]> {
  const count = Math.trunc(bytes.length / (DIGEST_BYTES + SIGNATURE_BYTES));
  const input = new ByteReader(bytes);
  const [digests, signatures] = [new Uint8Array(count * DIGEST_BYTES), new Uint8Array(count * SIGNATURE_BYTES)];
  for (let k = 0; k < count; k++) {
    digests.set(input.bytes(DIGEST_BYTES), k * DIGEST_BYTES);
    signatures.set(input.bytes(SIGNATURE_BYTES), k * SIGNATURE_BYTES);
  }
  const { keys, recovered } = recoverKeys(count, digests, signatures);
  const hex = Buffer.from(keys).toString('hex');
  const out = new ByteWriter(count * KEY_BYTES);
  for (let k = 0; k < count; k++)
    writeSigner(out, recovered[k] === 1 ? hex.slice(k * KEY_BYTES * 2, (k + 1) * KEY_BYTES * 2) : undefined);
  return out.finish();
}

/** The keys behind `count` signatures; undefined where no key can have made the signature. */
export function decodeKeys(
  bytes: BytesOf<readonly (PublicKey | undefined)[]>,
  count: number,
): (PublicKey | undefined)[] {
  const input = new ByteReader(bytes);
  return Array.from({ length: count }, () => readSigner(input));
}
