import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import type { Answer, AnswerTurns } from '../peers/answer_turns.ts';
import { Assembly } from './assembly.ts';
import { BlockReading } from './block_reading.ts';
import type { RebuiltBlock } from './block_rebuild.ts';
import { HeadReading } from './head_reading.ts';
import { block } from '../../wire/messages/block.ts';
import { blockRequest, COMPACT, WHOLE } from '../../wire/messages/block_request.ts';
import { compactBlock } from '../../wire/messages/compact_block.ts';
import { messageNumber } from '../../wire/messages/index.ts';
import { missing, missingHead, missingPart } from '../../wire/messages/missing.ts';
import { missingRequest, type MissingRequest } from '../../wire/messages/missing_request.ts';
import { unavailable } from '../../wire/messages/unavailable.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import { RecentBlocks, type ServedBlock } from './recent_blocks.ts';
import type { TransactionPool } from '../transactions/transaction_pool.ts';

export interface BlockServerParts {
  readonly environment: Environment;
  readonly turns: AnswerTurns;
  readonly pool: TransactionPool;
}

/** Older blocks are asked for by ranges, which are paced. */
const SERVED_DEPTH = 100;
/** Transactions that are picked out of a block between two looks at the clock. */
const PICKED_AT_ONCE = 1024;

/** Sends the newest blocks to peers that ask: whole, as short ids, or the transactions that they miss. */
export class BlockServer {
  readonly #parts: BlockServerParts;
  readonly #recent = new RecentBlocks();

  constructor(parts: BlockServerParts) {
    this.#parts = parts;
    parts.turns.on(blockRequest, (peer, { id, form }) => this.#block(peer, id, form), true);
    parts.turns.on(missingRequest, (peer, request) => this.#missing(peer, request), true);
  }

  /** A block that is there with all its transactions. */
  put({ id, header, shortIds, packed, transactions }: RebuiltBlock): ServedBlock {
    const bounds = new Uint32Array(transactions.length + 1);
    let at = packed.length;
    for (let index = transactions.length; index >= 0; index--) {
      bounds[index] = at;
      at -= transactions[index - 1]?.packed.length ?? 0;
    }
    const served = { packed, compact: compactBlock.encode({ header, shortIds }), bounds };
    this.#recent.put(id, served);
    return served;
  }

  /**
   * The head, which our own chain may have made of what the pool has: to be read until about a time, again and again
   * while it says `later`.
   */
  head(id: BlockId, transactionIds: Uint8Array | undefined): (endMs: number) => ServedBlock | 'later' | undefined {
    const known = this.#recent.get(id);
    if (known?.compact !== undefined) return () => known;
    if (known === undefined && !this.#isServed(id)) return () => undefined;
    const { pool, environment } = this.#parts;
    const reading = known === undefined ? this.#reading(id) : { resume: () => known.packed };
    const whole = new HeadReading({ clock: environment.clock, pool, id, reading, transactionIds });
    return (endMs) => {
      const served = whole.resume(endMs);
      if (served !== undefined && served !== 'later') this.#recent.put(id, served);
      return served;
    };
  }

  /** Returns whether it may be read from the chain. */
  #isServed(id: BlockId): boolean {
    const { view } = this.#parts.environment;
    const number = getBlockNumber(id);
    return number + SERVED_DEPTH > view.head.number && view.blockId(number) === id;
  }

  #reading(id: BlockId): BlockReading {
    const { view, clock } = this.#parts.environment;
    return new BlockReading(view, clock, getBlockNumber(id));
  }

  #remember(id: BlockId, packed: Uint8Array): ServedBlock {
    const served = { packed };
    this.#recent.put(id, served);
    return served;
  }

  #block(peer: Peer, id: BlockId, form: number): Answer {
    let reading: BlockReading | undefined;
    return {
      build: (endMs) => {
        const isKnownForm = form === WHOLE || form === COMPACT;
        let found = isKnownForm && !peer.isBusy ? this.#recent.get(id) : undefined;
        if (found === undefined && isKnownForm && !peer.isBusy && this.#isServed(id)) {
          reading ??= this.#reading(id);
          const packed = reading.resume(endMs);
          if (packed === 'later') return false;
          found = packed && this.#remember(id, packed);
        }
        this.#give(peer, id, form, found);
        return true;
      },
    };
  }

  #give(peer: Peer, id: BlockId, form: number, found: ServedBlock | undefined): void {
    const [kind, bytes] = form === COMPACT ? [compactBlock, found?.compact] : [block, found?.packed];
    if (bytes === undefined) return peer.send(unavailable, { kind: messageNumber(kind), id });
    peer.knownBlocks.add(id);
    peer.channel.sendEncoded(kind, bytes);
  }

  /** Only of blocks that are remembered: cutting others up costs a thousand times what it costs to ask. */
  #missing(peer: Peer, { id, indexes }: MissingRequest): Answer {
    const { clock } = this.#parts.environment;
    const { packed, bounds } = this.#recent.get(id) ?? {};
    const pieces = [...missingHead(id, indexes.length)];
    let picked = 0;
    let message: Assembly | undefined;
    return {
      build: (endMs) => {
        const last = indexes.at(-1) ?? 0;
        if (packed === undefined || bounds === undefined || last + 1 >= bounds.length || peer.isBusy) {
          peer.send(unavailable, { kind: messageNumber(missing), id });
          return true;
        }
        while (picked < indexes.length) {
          const part = indexes.slice(picked, picked + PICKED_AT_ONCE);
          pieces.push(...missingPart(part.map((index) => packed.subarray(bounds[index], bounds[index + 1]))));
          picked += part.length;
          if (clock.elapsedMs() >= endMs) return false;
        }
        message ??= new Assembly(pieces);
        const bytes = message.resume(clock, endMs);
        if (bytes === undefined) return false;
        peer.channel.sendEncoded(missing, bytes);
        return true;
      },
    };
  }
}
