import { present } from '../../src/base/assert.ts';
import { Refusal, refusalOf } from '../../src/base/refusal.ts';
import { readBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { verifyBlock, verifyTransaction } from '../../src/blocks/verify.ts';
import { readTransaction, type VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { ChainChange } from '../../src/chain/chain_change.ts';
import { Chain } from '../../src/chain/chain.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { isFailure, PeerBlocks, type PeerGroup } from '../../src/node/threads/peer_blocks.ts';
import type { BlockOutcome, ChainIntake, ChainNews, ChainPosition, ChainView, TransactionOutcome } from '../../src/p2p/chain_access.ts';
import type { BundledTransaction } from '../../src/p2p/messages/bundle.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { blockNumberOf, ZERO_HASH160 } from '../../src/values/hash.ts';

export interface ChainLineParts {
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  /** Whether the chain moves its own time. */
  readonly isFree: boolean;
  /** Does something later, when so much work is done. */
  readonly later: (ms: number, run: () => void) => void;
  readonly news: (news: ChainNews) => void;
  readonly moved?: () => void;
  /** What a block costs this machine. */
  readonly blockMs?: number | undefined;
}

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

/** A real chain as the network sees it: what writer, verifiers and store are in a node, in one thread. */
export class ChainLine implements ChainView, ChainIntake {
  readonly chain: Chain;
  readonly #peerBlocks: PeerBlocks;
  readonly oldestBlock = 1;
  readonly #parts: ChainLineParts;
  readonly #ids: string[] = [ZERO_HASH160];

  constructor(parts: ChainLineParts) {
    this.#parts = parts;
    const { store, parameters } = parts;
    this.chain = new Chain({ store, parameters, durable: false, changed: (change) => this.#changed(change) });
    this.#peerBlocks = new PeerBlocks(this.chain);
    for (let number = 1; number <= this.chain.head.number; number++) this.#ids.push(present(this.chain.block(number), 'a block').id);
  }

  get chainId(): string {
    return this.#parts.parameters.chainId;
  }

  get profile(): string {
    return sha256Hex(Buffer.from(JSON.stringify(this.#parts.parameters.profile)));
  }

  get slots(): ChainView['slots'] {
    const { isFree, parameters } = this.#parts;
    return isFree ? undefined : { genesisTime: parameters.genesis.genesis_time, intervalSeconds: parameters.blockIntervalSeconds };
  }

  get head(): ChainPosition {
    const { number, id, time, lastIrreversible: irreversible } = this.chain.head;
    return { number, id, time, irreversible };
  }

  idAt(number: number): string | undefined {
    return this.#ids[number];
  }

  packedAt(number: number): Uint8Array | undefined {
    return this.chain.block(number)?.packed;
  }

  knows(id: string): boolean {
    return this.chain.canFollow(id) || this.#ids[blockNumberOf(id)] === id;
  }

  submitBlocks(blocks: readonly Uint8Array[], done: (outcomes: readonly BlockOutcome[]) => void): void {
    this.#takeFrom(0, blocks, [], done);
  }

  submitTransactions(transactions: readonly BundledTransaction[], done: (outcomes: readonly TransactionOutcome[]) => void): void {
    const ms = PROVE_MS + transactions.length * SIGNATURE_MS;
    this.#parts.later(ms, () => done(transactions.map((one) => this.#takeTransaction(one))));
  }

  #changed({ undone, applied }: ChainChange): void {
    this.#ids.length -= undone.length;
    const ids: string[] = [];
    for (const { id } of applied) ids.push(id);
    this.#ids.push(...ids);
    this.#parts.moved?.();
    const news = { undone, applied: ids, head: this.head };
    // The chain is in the middle of a call.
    if (ids.length < MOST_NEWS) this.#parts.later(0, () => this.#parts.news(news));
  }

  /** One group after the other, each of which moves the head. */
  #takeFrom(
    from: number,
    blocks: readonly Uint8Array[],
    before: readonly BlockOutcome[],
    done: (all: readonly BlockOutcome[]) => void,
  ): void {
    const group = blocks.slice(from, from + GROUP_BLOCKS);
    const place = { isFirst: from === 0, isLast: from + group.length === blocks.length };
    this.#parts.later(PROVE_MS + group.length * (this.#parts.blockMs ?? BLOCK_MS), () => {
      const outcomes = this.#takeBlocks(group, place);
      const all = [...before, ...outcomes];
      if (place.isLast || outcomes.some(isFailure)) done(all);
      else this.#takeFrom(from + group.length, blocks, all, done);
    });
  }

  #takeBlocks(blocks: readonly Uint8Array[], place: PeerGroup): BlockOutcome[] {
    const whole: VerifiedBlock[] = [];
    const refusal = refusalOf(() => {
      for (const packed of blocks) whole.push(provedBlock(this.#parts.parameters, packed));
    });
    const outcomes = this.#peerBlocks.take(whole, refusal === undefined ? place : { ...place, isLast: true });
    const isTold = refusal === undefined || outcomes.some(isFailure);
    return isTold ? outcomes : [...outcomes, { kind: 'refused', fault: 'sender', reason: refusal.message }];
  }

  #takeTransaction({ packed }: BundledTransaction): TransactionOutcome {
    try {
      const input = new ByteReader(packed);
      const transaction = readTransaction(input);
      input.expectEnd();
      const item = verifyTransaction(this.chainId, transaction);
      if (item.signers.some((signer) => signer === undefined)) return 'forged';
      this.chain.accept(item);
      return 'accepted';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'duplicate_transaction') return 'known';
      return error.code === 'malformed_bytes' ? 'forged' : 'refused';
    }
  }
}

/** A transaction as it goes into a bundle. */
export function bundled({ packed, unsignedBytes, signers }: VerifiedTransaction): BundledTransaction {
  return { packed, unsignedBytes, key: signers[0] ?? NULL_KEY };
}
