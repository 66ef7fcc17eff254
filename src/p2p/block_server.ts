import { readHeader, readOwnBlock } from '../blocks/block.ts';
import { blockNumberOf, type BlockId } from '../values/hash.ts';
import { atOnce, type AnswerTurns } from './answer_turns.ts';
import { rebuilt, type RebuiltBlock } from './block_rebuild.ts';
import { block } from './messages/block.ts';
import { blockRequest, COMPACT, WHOLE } from './messages/block_request.ts';
import { compactBlock } from './messages/compact_block.ts';
import { messageNumber } from './messages/index.ts';
import { missing } from './messages/missing.ts';
import { missingRequest, type MissingRequest } from './messages/missing_request.ts';
import { unavailable } from './messages/unavailable.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import { RecentBlocks, type ServedBlock } from './recent_blocks.ts';
import type { TransactionPool } from './transaction_pool.ts';

export interface BlockServerParts {
  readonly outside: Outside;
  readonly turns: AnswerTurns;
  readonly pool: TransactionPool;
}

/** Older blocks are asked for by ranges, which are paced. */
const SERVED_DEPTH = 100;

/** Gives the newest blocks to whoever asks for them: whole, as short ids, or the transactions that somebody misses. */
export class BlockServer {
  readonly #parts: BlockServerParts;
  readonly #recent = new RecentBlocks();

  constructor(parts: BlockServerParts) {
    this.#parts = parts;
    parts.turns.on(blockRequest, (peer, { id, form }) => atOnce(() => this.#give(peer, id, form)), true);
    parts.turns.on(missingRequest, (peer, request) => atOnce(() => this.#giveMissing(peer, request)), true);
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

  /** The head, which may have come from anywhere: our own chain may have made it of what the pool has. */
  head(id: BlockId, transactionIds: Uint8Array | undefined): ServedBlock | undefined {
    const known = this.#find(id);
    if (known === undefined || known.compact !== undefined) return known;
    const transactions = (transactionIds && this.#parts.pool.all(transactionIds)) ?? readOwnBlock(known.packed, id).transactions;
    const made = rebuilt(readHeader(known.packed), transactions);
    return made === undefined ? known : this.put(made);
  }

  #find(id: BlockId): ServedBlock | undefined {
    const { view } = this.#parts.outside;
    const known = this.#recent.get(id);
    const number = blockNumberOf(id);
    if (known !== undefined || number + SERVED_DEPTH <= view.head.number || view.idAt(number) !== id) return known;
    const packed = view.packedAt(number);
    if (packed === undefined) return undefined;
    this.#recent.put(id, { packed });
    return { packed };
  }

  #give(peer: Peer, id: BlockId, form: number): void {
    const found = (form === WHOLE || form === COMPACT) && !peer.isBusy ? this.#find(id) : undefined;
    const [kind, bytes] = form === COMPACT ? [compactBlock, found?.compact] : [block, found?.packed];
    if (bytes === undefined) return peer.send(unavailable, { kind: messageNumber(kind), id });
    peer.knownBlocks.add(id);
    peer.channel.sendEncoded(kind, bytes);
  }

  /** Only of blocks that are remembered: cutting others up costs a thousand times what it costs to ask. */
  #giveMissing(peer: Peer, { id, indexes }: MissingRequest): void {
    const { packed, bounds } = this.#recent.get(id) ?? {};
    const last = indexes.at(-1) ?? 0;
    if (packed === undefined || bounds === undefined || last + 1 >= bounds.length || peer.isBusy)
      return peer.send(unavailable, { kind: messageNumber(missing), id });
    peer.send(missing, { id, transactions: indexes.map((index) => packed.subarray(bounds[index], bounds[index + 1])) });
  }
}
