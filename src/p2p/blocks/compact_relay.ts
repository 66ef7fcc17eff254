import type { ArrivingTransactions } from '../transactions/arriving_transactions.ts';
import { BlockRebuild, type RebuiltBlock } from './block_rebuild.ts';
import type { BlockWant, SentBlock } from './block_want.ts';
import type { BlockWants } from './block_wants.ts';
import type { Missing } from '../../wire/messages/missing.ts';
import type { NetworkCounts } from '../peers/network_counts.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import type { TransactionPool } from '../transactions/transaction_pool.ts';

export interface CompactRelayParts {
  readonly environment: Environment;
  readonly pool: TransactionPool;
  readonly arriving: ArrivingTransactions;
  readonly counts: NetworkCounts;
  readonly wanted: BlockWants;
  /** Goes on with what else has come of a block. */
  readonly advance: (want: BlockWant) => void;
  /** All of a block is here. */
  readonly rebuilt: (want: BlockWant, from: Peer, block: RebuiltBlock) => void;
}

/** Rebuilds blocks from their short ids and the pool, and asks the sender for missing transactions. */
export class CompactRelay {
  readonly #parts: CompactRelayParts;

  constructor(parts: CompactRelayParts) {
    this.#parts = parts;
  }

  /** Somebody has sent a block's short ids. */
  begin(want: BlockWant, from: SentBlock, shortIds: Uint8Array): void {
    const { pool, arriving, environment, counts } = this.#parts;
    const isOffHead = from.header.previous !== environment.view.head.id;
    const rebuild = new BlockRebuild(from.header, shortIds, { pool, arriving, isOffHead }, (below) =>
      environment.randomSource.roll(below),
    );
    counts.shortIds.hit += rebuild.count - rebuild.missing.length;
    counts.shortIds.miss += rebuild.missing.length;
    want.rebuild = { from, block: rebuild };
    if (rebuild.missing.length === 0) return this.#complete(want, []);
    if (want.nextOf(from.peer, true) === 'whole') this.#fallBack(want);
    this.#parts.wanted.requestBlock(want, from.peer);
  }

  #fallBack(want: BlockWant): void {
    this.#parts.counts.shortIds.fallback++;
    want.needWhole();
  }

  /** A peer has sent missing transactions. */
  takeMissing(peer: Peer, { id, transactions }: Missing): void {
    const want = this.#parts.wanted.get(id);
    if (want?.asked?.peer !== peer || want.asked.what !== 'missing') return;
    want.asked = undefined;
    this.#complete(want, transactions);
  }

  #complete(want: BlockWant, fresh: readonly Uint8Array[]): void {
    if (want.rebuild === undefined) return;
    const { from, block: rebuild } = want.rebuild;
    const built = rebuild.complete(fresh);
    if (built === undefined) {
      // Somebody else's short ids may be right; it may also be ours that misled us.
      this.#fallBack(want);
      return want.sent.length > 0 ? this.#parts.advance(want) : this.#parts.wanted.requestBlock(want, from.peer);
    }
    // A peer that passes a block on has rebuilt it, and knows better.
    if (Buffer.compare(built.shortIds, rebuild.shortIds) !== 0)
      from.peer.offend('lie', 'short ids that are not those of the block');
    this.#parts.counts.noteRebuilt(this.#parts.environment.clock.elapsedMs() - from.atMs);
    this.#parts.rebuilt(want, from.peer, built);
  }
}
