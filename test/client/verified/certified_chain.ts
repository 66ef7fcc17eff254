import { present } from '../../../src/base/assert.ts';
import { blockId, signedBlockHeader, type SignedBlockHeader } from '../../../src/blocks/header.ts';
import { MerkleBranch, merkleRoot } from '../../../src/blocks/merkle.ts';
import { packTransaction, type PackedTransaction, type SignedTransaction } from '../../../src/blocks/transaction.ts';
import { NO_BLOCKS, rangePath, rangeRoot, type BlockRange } from '../../../src/blocks/finality/block_range.ts';
import { GrowingRange, type BinaryDigest } from '../../builders/growing_range.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { checkpointText } from '../../../src/values/checkpoint.ts';
import { epochBoundary, epochNumber } from '../../../src/blocks/finality/epochs.ts';
import { diffVoters, type FinalityProof, type TransactionProof } from '../../../src/blocks/finality/finality_proof.ts';
import { NO_VOTERS, voteDigest, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { isMoreThanThird, quorumSize, epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import { ByteWriter } from '../../../src/codec/bytes.ts';
import type { Codec } from '../../../src/codec/codec.ts';
import { derivePublicKey } from '../../../src/crypto/keys.ts';
import { sha256Binary, sha256Hex } from '../../../src/crypto/hashes.ts';
import { transfer } from '../../../src/operations/transfer.ts';
import type { Digest, TransactionId } from '../../../src/values/hash.ts';
import type { PublicKey } from '../../../src/values/public_key.ts';
import { testSecret } from '../../builders/chain.ts';
import { quickSignature } from '../../builders/quick_signature.ts';

export const CHAIN: Digest = 'c4'.repeat(32);
export const EPOCH_BLOCKS = 4;
export const INTERVAL = 3;

const secrets = new Map<PublicKey, Uint8Array>();
const keys = new Map<string, PublicKey>();

/** The public key of whoever has this name. */
export function keyOfName(name: string): PublicKey {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const secret = testSecret(name);
  const key = Buffer.from(present(derivePublicKey(secret), 'a key')).toString('hex');
  keys.set(name, key);
  secrets.set(key, secret);
  return key;
}

/** Names that are numbered from one number on. */
export function numbered(from: number, count: number, word = 'voter'): string[] {
  return Array.from({ length: count }, (_, at) => `${word} ${from + at}`);
}

export interface CertifiedParts {
  /** The time of block 1, in seconds since 1970. */
  readonly begun: number;
  readonly epochs: number;
  /** The names of an epoch's voters. */
  readonly voters: (epoch: number) => readonly string[];
  readonly chain?: Digest;
  /** The text of its transfers, so that the blocks of two chains differ. */
  readonly memo?: string;
  readonly slots?: (number: number) => number;
}

interface Block {
  readonly header: SignedBlockHeader;
  readonly packed: Uint8Array;
  readonly id: string;
  readonly transactions: readonly PackedTransaction[];
  /** The range of all blocks up to this one. */
  readonly range: BlockRange;
}

/** Headers, transfers, voters and certificates as a chain has them, without the chain: what proofs are made of. */
export class CertifiedChain {
  readonly parts: CertifiedParts;
  readonly chain: Digest;
  readonly blocks: Block[] = [];
  readonly #nodes = new Map<string, Digest>();
  /** Signing takes longest, and each is wanted often. */
  readonly #certificates = new Map<string, Certificate>();
  readonly #voters = new Map<number, Voters>();

  constructor(parts: CertifiedParts) {
    this.parts = parts;
    this.chain = parts.chain ?? CHAIN;
    for (let number = 1; number <= parts.epochs * EPOCH_BLOCKS; number++) this.#add(number);
  }

  /** The number of the newest block. */
  get newest(): number {
    return this.blocks.length;
  }

  /** The time of the newest block. */
  get now(): number {
    return this.block(this.newest).header.timestamp;
  }

  block(number: number): Block {
    return present(this.blocks[number - 1], `block ${number}`);
  }

  getVoters(epoch: number): Voters {
    const voters = this.#voters.get(epoch) ?? epochVoters(this.chain, epoch, this.parts.voters(epoch).map(keyOfName));
    this.#voters.set(epoch, voters);
    return voters;
  }

  /** The checkpoint behind which an epoch begins. */
  checkpoint(epoch: number): string {
    const { header, id } = this.block(epoch * EPOCH_BLOCKS);
    return checkpointText({
      ...{ number: epoch * EPOCH_BLOCKS, id, voters: this.getVoters(epoch).digest },
      time: header.timestamp,
    });
  }

  /** Returns the voters' statement about a block. */
  subject(number: number): VoteSubject {
    const { id, packed, header, range } = this.block(number);
    const epoch = epochNumber(number, EPOCH_BLOCKS);
    const isBoundary = number === epochBoundary(epoch, EPOCH_BLOCKS);
    return {
      ...{ epoch, voters: this.getVoters(epoch).digest, view: header.timestamp / INTERVAL, kind: 'commit' },
      ...{ block: id, header: sha256Hex(packed), root: rangeRoot(range) },
      next_voters: isBoundary ? this.getVoters(epoch + 1).digest : NO_VOTERS,
    };
  }

  /** A certificate with a quorum of votes, of these voters first. */
  certificate(number: number, first: readonly PublicKey[] = []): Certificate {
    const name = `${number} ${first.join(' ')}`;
    const certificate = this.#certificates.get(name) ?? this.#signed(number, new Set(first));
    this.#certificates.set(name, certificate);
    return certificate;
  }

  #signed(number: number, first: ReadonlySet<PublicKey>): Certificate {
    const voters = this.getVoters(epochNumber(number, EPOCH_BLOCKS));
    const indexes = [...voters.keys.keys()];
    const isFirst = (at: number): boolean => first.has(voters.keys[at] ?? '');
    const chosen = [...indexes.filter(isFirst), ...indexes.filter((at) => !isFirst(at))].slice(0, quorumSize(voters));
    return signSubject(
      this.chain,
      this.subject(number),
      voters,
      chosen.sort((a, b) => a - b),
    );
  }

  /** Makes the proof of a block for a client that trusts an epoch's voters, as nodes make it. */
  proof(number: number, trusted: number): FinalityProof {
    const steps: { certificate: Certificate; voters: readonly PublicKey[] }[] = [];
    for (let at = trusted; ;) {
      const { keys: known } = this.getVoters(at);
      const isEnded = steps.length > 0;
      const newest = this.shown(this.newest, known);
      if (this.#follows(newest, at, isEnded)) return this.makeProof(number, trusted, [...steps, newest]);
      const last = epochNumber(this.newest, EPOCH_BLOCKS) - 1;
      const next = Array.from({ length: last - at }, (_, back) => last - back)
        .map((epoch) => this.shown(epochBoundary(epoch, EPOCH_BLOCKS), known))
        .find((each) => this.#follows(each, at, isEnded));
      const step = next ?? this.shown(epochBoundary(at, EPOCH_BLOCKS), known);
      steps.push(step);
      at = step.certificate.subject.epoch;
    }
  }

  /** Makes the proof of a transaction. */
  transactionProof(id: TransactionId, trusted: number): TransactionProof | undefined {
    const number = this.blocks.findIndex(({ transactions }) => transactions.some((each) => each.id === id)) + 1;
    if (number === 0) return undefined;
    const { transactions } = this.block(number);
    const branch = new MerkleBranch();
    for (const each of transactions) branch.add(each.leaf, each.id === id);
    const { packed } = present(
      transactions.find((each) => each.id === id),
      'the transaction',
    );
    return { transaction: packed, branch: branch.finish(), finality: this.proof(number, trusted) };
  }

  /** A proof by these certificates, the last of which proves the block. */
  makeProof(number: number, trusted: number, all: FinalityProof['steps']): FinalityProof {
    const [first, last] = [present(all[0], 'a certificate'), present(all.at(-1), 'a certificate')];
    const count = Number.parseInt(last.certificate.subject.block.slice(0, 8), 16);
    const isTrusted = first.certificate.subject.epoch === trusted;
    return {
      header: this.block(number).packed,
      path: rangePath(number, count, (height, index) => present(this.#nodes.get(`${height}/${index}`), 'a node')),
      ...last,
      trusted: isTrusted ? undefined : diffVoters(first.voters, this.getVoters(trusted).keys),
      steps: all.slice(0, -1),
    };
  }

  /** A block's certificate, of these voters first, and who votes. */
  shown(number: number, first: readonly PublicKey[] = []): FinalityProof['steps'][number] {
    const certificate = this.certificate(number, first);
    return { certificate, voters: this.getVoters(certificate.subject.epoch).keys };
  }

  #follows({ certificate, voters }: FinalityProof['steps'][number], trusted: number, isEnded: boolean): boolean {
    const { epoch } = certificate.subject;
    if (epoch === trusted || (isEnded && epoch === trusted + 1)) return true;
    const known = this.getVoters(trusted);
    const signed = certificate.signatures.filter(({ voter }) => known.keys.includes(voters[voter] ?? '')).length;
    return isMoreThanThird(signed, known);
  }

  #add(number: number): void {
    const { begun, memo = '', slots = (at: number) => at - 1 } = this.parts;
    const timestamp = begun + INTERVAL * slots(number);
    // From none to five in a block.
    const transactions = Array.from({ length: number % 6 }, (_, at) =>
      makeTransfer(timestamp, `${memo}${number} ${at}`),
    );
    const header: SignedBlockHeader = {
      ...{ previous: this.blocks.at(-1)?.id ?? '0'.repeat(40), timestamp, witness: 'alice' },
      ...{ transaction_merkle_root: merkleRoot(transactions.map(({ leaf }) => leaf)), extensions: [] },
      witness_signature: '20'.padEnd(130, '7'),
    };
    const packed = packedAs(signedBlockHeader, header);
    const range = new GrowingRange(this.blocks.at(-1)?.range ?? NO_BLOCKS);
    const completed: BinaryDigest[] = [];
    range.add(sha256Binary(packed), completed);
    for (const [height, hash] of completed.entries())
      this.#nodes.set(`${height}/${number / 2 ** height - 1}`, Buffer.from(hash, 'latin1').toString('hex'));
    this.blocks.push({ header, packed, id: blockId(header), transactions, range: range.range });
  }
}

/** A certificate with real signatures of these voters. */
export function signSubject(
  chain: Digest,
  subject: VoteSubject,
  voters: Pick<Voters, 'keys'>,
  signers: readonly number[],
): Certificate {
  const digest = voteDigest(chain, subject);
  const signatures = signers.map((voter) => {
    const secret = present(secrets.get(voters.keys[voter] ?? ''), 'the secret of a voter');
    return { voter, signature: `1f${quickSignature(digest, secret).slice(2)}` };
  });
  return { subject, signatures };
}

/** A transfer from alice to bob that somebody has signed. */
export function makeTransfer(
  time: number,
  memo: string,
  signatures: readonly string[] = ['20'.padEnd(130, '3')],
): PackedTransaction {
  const [fee, amount] = [1n, 2_500_000n].map((millionths) => ({ amount: millionths, symbol: 'COIN' }));
  const value: SignedTransaction = {
    ...{ ref_block_num: 1, ref_block_prefix: 2, expiration: time + 60, extensions: [], signatures },
    operations: [
      transfer.of({ fee: present(fee, 'a fee'), from: 'alice', to: 'bob', amount: present(amount, 'an amount'), memo }),
    ],
  };
  return packTransaction(value);
}

/** The bytes of a value. */
export function packedAs<T>(codec: Codec<T>, value: T): Uint8Array {
  const out = new ByteWriter();
  codec.write(out, value);
  return out.finish();
}
