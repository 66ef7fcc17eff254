import { present } from '../../src/base/assert.ts';
import { Refusal, catchRefusal } from '../../src/base/refusal.ts';
import { hasValidSignature, type SignedHeartbeat } from '../../src/blocks/alive.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import type { Vote } from '../../src/blocks/finality/vote.ts';
import { readBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { blockId, headerNumber, type SignedBlockHeader } from '../../src/blocks/header.ts';
import { blockSigner, verifyBlock, verifyTransaction, verifyHeaders } from '../../src/blocks/verify.ts';
import { readTransaction, type VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { ChainChange } from '../../src/chain/forks/chain_change.ts';
import { Chain } from '../../src/chain/chain.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { CommittedFinality } from '../../src/node/network/committed_finality.ts';
import { isFailure, judgePeerBlock, PeerBlocks, type PeerGroup } from '../../src/node/threads/writer/peer_blocks.ts';
import type {
  BlockOutcome,
  BlockParts,
  ChainIntake,
  ChainUpdate,
  ChainPosition,
  ChainView,
  FinalityView,
  HeaderOutcome,
  TransactionVerification,
  SentTransactions,
  SubmissionPlace,
  TransactionOutcome,
} from '../../src/p2p/environment/chain_access.ts';
import { STATE_HASH_EACH } from '../../src/p2p/sync/state_hashes.ts';
import type { BundledTransaction } from '../../src/wire/messages/bundle.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { getBlockNumber, ZERO_HASH160 } from '../../src/values/hash.ts';
import { isVoteSignedOnce } from './verified_votes.ts';

export interface ChainLineParts {
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  /** True when the chain moves its own time. */
  readonly isFree: boolean;
  /** Does something later, when so much work is done. */
  readonly later: (ms: number, run: () => void) => void;
  /** Measures time for tries of branches; the chain's own time when undefined. */
  readonly elapsedMs?: (() => number) | undefined;
  readonly news: (news: ChainUpdate) => void;
  /** The chain has accepted a transaction. */
  readonly known?: (transactions: readonly VerifiedTransaction[]) => void;
  readonly moved?: () => void;
  /** A block has come, whatever becomes of it. */
  readonly seen?: (block: Pick<VerifiedBlock, 'id' | 'header' | 'signer'>) => void;
  /** A witness of a branch that is kept has signed that it is there. */
  readonly alive?: (alive: SignedHeartbeat) => void;
  /** Verified votes and certificates of peers. */
  readonly heardVotes?: (votes: readonly Vote[], certificates: readonly Certificate[]) => void;
  /** A block, the last of some, is about to be pushed. */
  readonly judging?: (block: VerifiedBlock) => void;
  /** The chain is done with what it was given. */
  readonly settled?: () => void;
  /** It finds out who has signed a transaction. */
  readonly proves?: ((packed: Uint8Array) => void) | undefined;
  /** The milliseconds that a block takes this machine. */
  readonly blockMs?: number | undefined;
  /** The milliseconds that a signature and a transaction of a block take, when that matters. */
  readonly signatureMs?: number | undefined;
  readonly appliedMs?: number | undefined;
}

const TRIED_EACH_MS = 300;
const HEADER_MS = 1;
const PROVE_MS = 3;
const SIGNATURE_MS = 0.05;
const BLOCK_MS = 0.05;
const GROUP_BLOCKS = 64;
/** Of a replay nobody follows each block. */
const MOST_NEWS = 1000;
const MOST_PROVED = 5000;

/** Signatures are proved once for all nodes of a test: that a proof is right is another test's business. */
const proved = new Map<string, VerifiedBlock>();

function provedBlock(parameters: ChainParameters, packed: Uint8Array): VerifiedBlock {
  const key = sha256Hex(packed);
  const known = proved.get(key) ?? verifyBlock(parameters.chainId, readBlock(packed.slice()));
  if (proved.size >= MOST_PROVED) proved.clear();
  proved.set(key, known);
  return known;
}

interface Submission extends SubmissionPlace {
  readonly blocks: readonly Uint8Array[];
  readonly done: (all: readonly BlockOutcome[]) => void;
}

const knownHeartbeats = new Map<string, boolean>();
const MOST_ALIVES = 10_000;

const provedTransactions = new Map<string, VerifiedTransaction>();
const MOST_TRANSACTIONS = 100_000;

function provedTransaction(chainId: string, packed: Uint8Array): VerifiedTransaction {
  const key = sha256Hex(packed);
  const known = provedTransactions.get(key);
  if (known !== undefined) return known;
  const input = new ByteReader(packed.slice());
  const transaction = readTransaction(input);
  input.expectEnd();
  const item = verifyTransaction(chainId, transaction);
  if (provedTransactions.size >= MOST_TRANSACTIONS) provedTransactions.clear();
  provedTransactions.set(key, item);
  return item;
}

function headerProved(packed: Uint8Array): VerifiedBlock {
  return present(verifyHeaders([readBlock(packed.slice())], [])[0], 'a block');
}

/** A real chain as the network sees it: what writer, verifiers and store are in a node, in one thread. */
export class ChainLine implements ChainView, ChainIntake {
  readonly chain: Chain;
  readonly #peerBlocks: PeerBlocks;
  readonly oldestBlock = 1;
  readonly #parts: ChainLineParts;
  readonly #ids: string[] = [ZERO_HASH160];
  readonly finality: FinalityView | undefined;
  #version = 0;
  #isTryDue = false;

  constructor(parts: ChainLineParts) {
    this.#parts = parts;
    const { store, parameters, elapsedMs } = parts;
    this.chain = new Chain({
      store,
      parameters,
      elapsedMs,
      durable: false,
      changed: (change) => this.#changed(change),
    });
    this.#peerBlocks = new PeerBlocks(this.chain, STATE_HASH_EACH);
    const settled = (): number => this.chain.settled;
    if (parameters.hasFinality)
      this.finality = new CommittedFinality({ parameters, store, version: () => this.#version, settled });
    for (let number = 1; number <= this.chain.head.number; number++)
      this.#ids.push(present(this.chain.block(number), 'a block').id);
  }

  get chainId(): string {
    return this.#parts.parameters.chainId;
  }

  get profile(): string {
    return sha256Hex(Buffer.from(JSON.stringify(this.#parts.parameters.profile)));
  }

  get slots(): ChainView['slots'] {
    const { isFree, parameters } = this.#parts;
    return isFree
      ? undefined
      : { genesisTime: parameters.genesis.genesis_time, intervalSeconds: parameters.blockIntervalSeconds };
  }

  get hasFinality(): boolean {
    return this.#parts.parameters.hasFinality;
  }

  get head(): ChainPosition {
    const { number, id, time, lastIrreversible: irreversible, stateHash } = this.chain.head;
    return { number, id, time, irreversible, stateHash };
  }

  blockId(number: number): string | undefined {
    return this.#ids[number];
  }

  readParts(number: number): BlockParts | undefined {
    const packed = this.chain.block(number)?.packed;
    return packed && { count: 1, part: () => packed };
  }

  knows(id: string): boolean {
    return this.#ids[getBlockNumber(id)] === id || this.chain.canFollow(id);
  }

  submitBlocks(
    blocks: readonly Uint8Array[],
    place: SubmissionPlace,
    done: (outcomes: readonly BlockOutcome[]) => void,
  ): void {
    this.#takeRest(0, { blocks, ...place, done }, []);
  }

  judgeHeader(header: SignedBlockHeader, done: (outcome: HeaderOutcome) => void): void {
    this.#parts.later(HEADER_MS, () => {
      const signer = blockSigner({ header });
      const judged = { id: blockId(header), number: headerNumber(header), header, signer };
      this.#parts.seen?.(judged);
      const judgement = judgePeerBlock(this.chain, judged);
      done(judgement.kind === 'right' ? { ...judgement, signer } : judgement);
    });
  }

  verifyTransactions(packed: readonly Uint8Array[], done: (proven: TransactionVerification) => void): void {
    this.#parts.later(PROVE_MS + packed.length * SIGNATURE_MS, () => {
      const verified: VerifiedTransaction[] = [];
      const refusal = catchRefusal(() => {
        for (const one of packed) this.#parts.proves?.(one);
        for (const one of packed) verified.push(verifyTransaction(this.chainId, readTransaction(new ByteReader(one))));
      });
      done(refusal === undefined ? { verified } : { refusal: refusal.message });
    });
  }

  submitVerified(block: VerifiedBlock, from: string, done: (outcome: BlockOutcome) => void): void {
    const { blockMs = BLOCK_MS, appliedMs = 0 } = this.#parts;
    this.#parts.later(blockMs + block.transactions.length * appliedMs, () => {
      done(this.#takeFromPeer([block], { isFirst: true, isLast: true, from })[0] ?? { kind: 'unlinkable' });
    });
  }

  hasValidSignature(chain: string, alive: SignedHeartbeat): boolean {
    const key = JSON.stringify([chain, alive]);
    const known = knownHeartbeats.get(key) ?? hasValidSignature(chain, alive);
    if (knownHeartbeats.size >= MOST_ALIVES) knownHeartbeats.clear();
    knownHeartbeats.set(key, known);
    return known;
  }

  submitAlive(alive: SignedHeartbeat, done: (isOfWitness: boolean) => void): void {
    this.#parts.later(HEADER_MS, () => {
      const isOfWitness = this.chain.hasSigner(alive.witness, alive.key);
      if (isOfWitness) this.#parts.alive?.(alive);
      done(isOfWitness);
    });
  }

  isVoteSigned(digest: Uint8Array, signature: string, key: string): boolean {
    return isVoteSignedOnce(digest, signature, key);
  }

  takeVotes(votes: readonly Vote[]): void {
    this.#parts.later(HEADER_MS, () => this.#parts.heardVotes?.(votes, []));
  }

  takeCertificate(certificate: Certificate): void {
    this.#parts.later(HEADER_MS, () => this.#parts.heardVotes?.([], [certificate]));
  }

  submitTransactions(
    { transactions }: SentTransactions,
    done: (outcomes: readonly TransactionOutcome[]) => void,
  ): void {
    const ms = PROVE_MS + transactions.length * (this.#parts.signatureMs ?? SIGNATURE_MS);
    this.#parts.later(ms, () => done(transactions.map((one) => this.#takeTransaction(one))));
  }

  hurryTransactions(): void {
    // Nothing waits here.
  }

  #changed({ undone, applied }: ChainChange): void {
    this.#version++;
    this.#ids.length -= undone.length;
    const ids: string[] = [];
    const transactionIds: Uint8Array[] = [];
    for (const { id, transactions } of applied) {
      ids.push(id);
      transactionIds.push(Buffer.from(transactions.map((one) => one.id).join(''), 'hex'));
    }
    this.#ids.push(...ids);
    this.#parts.moved?.();
    const news = { undone, applied: ids, transactionIds, head: this.head };
    // The chain is in the middle of a call.
    if (ids.length < MOST_NEWS) this.#parts.later(0, () => this.#parts.news(news));
  }

  /** One group after the other, each of which moves the head. */
  #takeRest(from: number, submission: Submission, before: readonly BlockOutcome[]): void {
    const { blocks, isFirst, isLast, isVouchedFor, from: peer, done } = submission;
    const group = blocks.slice(from, from + GROUP_BLOCKS);
    const isEnd = from + group.length === blocks.length;
    this.#parts.later(PROVE_MS + group.length * (this.#parts.blockMs ?? BLOCK_MS), () => {
      const outcomes = this.#takeBlocks(
        group,
        { isFirst: isFirst && from === 0, isLast: isLast && isEnd, from: peer },
        isVouchedFor,
      );
      const all = [...before, ...outcomes];
      if (isEnd || outcomes.some(isFailure)) done(all);
      else this.#takeRest(from + group.length, submission, all);
    });
  }

  #takeBlocks(blocks: readonly Uint8Array[], place: PeerGroup, isVouchedFor: boolean): BlockOutcome[] {
    const whole: VerifiedBlock[] = [];
    const refusal = catchRefusal(() => {
      for (const packed of blocks) {
        const block = isVouchedFor ? headerProved(packed) : provedBlock(this.#parts.parameters, packed);
        this.#parts.seen?.(block);
        whole.push(block);
      }
    });
    const outcomes = this.#takeFromPeer(whole, refusal === undefined ? place : { ...place, isLast: true });
    const isTold = refusal === undefined || outcomes.some(isFailure);
    return isTold ? outcomes : [...outcomes, { kind: 'refused', fault: 'sender', reason: refusal.message }];
  }

  /** Acts as the writer; branches that must wait are looked at again as there. */
  #takeFromPeer(blocks: readonly VerifiedBlock[], group: PeerGroup): BlockOutcome[] {
    const { elapsedMs, judging, settled } = this.#parts;
    const last = blocks.at(-1);
    if (last !== undefined) judging?.(last);
    const outcomes = this.#peerBlocks.take(blocks, group);
    settled?.();
    if (elapsedMs !== undefined) this.#tryLater();
    return outcomes;
  }

  #tryLater(): void {
    if (!this.chain.isBranchWaiting || this.#isTryDue) return;
    this.#isTryDue = true;
    this.#parts.later(TRIED_EACH_MS, () => {
      this.#isTryDue = false;
      this.chain.tryWaitingBranch();
      this.#tryLater();
    });
  }

  #takeTransaction({ packed, key }: BundledTransaction): TransactionOutcome {
    this.#parts.proves?.(packed);
    try {
      const item = provedTransaction(this.chainId, packed);
      const isHintRight = (item.signers[0] ?? NULL_KEY) === key;
      if (item.signers.some((signer) => signer === undefined)) return { outcome: 'forged', isHintRight };
      this.chain.accept(item);
      this.#parts.known?.([item]);
      return { outcome: 'accepted', isHintRight };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'duplicate_transaction') return { outcome: 'known', isHintRight: true };
      return { outcome: error.code === 'malformed_bytes' ? 'forged' : 'refused', isHintRight: true };
    }
  }
}

/** A transaction as it goes into a bundle. */
export function bundled({ packed, unsignedBytes, signers }: VerifiedTransaction): BundledTransaction {
  return { packed, unsignedBytes, key: signers[0] ?? NULL_KEY };
}
