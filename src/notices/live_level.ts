import type { CommittedState } from '../queries/committed_state.ts';
import type { Clock } from '../base/clock.ts';
import { changedAccounts } from '../state/changed_accounts.ts';
import type { BalanceWatch } from './balance_watch.ts';
import type { BlockChunk, ChainReader } from './chain_reader.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import { isWhole, positionNumber, samePosition, type Position } from '../queries/notices/position.ts';
import { streamTexts, type PendingNotices } from './pending_notices.ts';
import { commonBlock } from '../queries/notices/standing.ts';
import { StreamIndex } from './stream_index.ts';
import type { Following, Level, Stream } from './stream.ts';

export interface LiveLevelParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly reader: ChainReader;
  /**
   * Takes subscriptions that have to be told from an earlier position on; `isSlow` when that is their reader's fault.
   */
  readonly catchUp: (following: Following, position: Position, isSlow: boolean) => void;
  /** The balances of the level, if it has them. */
  readonly balances?: BalanceWatch;
  /** Streams of pending transactions, if the level has them. */
  readonly pending?: PendingNotices;
}

/** The next thing to tell: blocks were undone, or a piece of a new block. Undefined when nothing is new. */
type Found = { readonly undone: Position } | FoundChunk | undefined;

interface FoundChunk {
  readonly chunk: BlockChunk;
  /** Streams of balances that the block may have changed. */
  readonly touched: Iterable<Stream>;
}

/**
 * Tells what is new on one level, block after block, to all subscriptions that have been told everything before: each
 * operation is looked at and written once. What it has told of last is the one position of all of them.
 */
export class LiveLevel {
  readonly #level: Level;
  readonly #parts: LiveLevelParts;
  readonly #index = new StreamIndex();
  readonly #deliveries: Deliveries;
  /** Subscriptions that were told up to a block that this level has not come to. */
  readonly #ahead = new Set<Following>();
  /** Undefined while nobody follows. */
  #position: Position | undefined;

  constructor(level: Level, parts: LiveLevelParts) {
    this.#level = level;
    this.#parts = parts;
    this.#deliveries = new Deliveries(parts.clock, (following, position) => {
      following.stream.live.delete(following);
      parts.catchUp(following, position, true);
    });
  }

  /** Takes a subscription that was told everything up to its position: from there on it is told with all others. */
  admit(following: Following): void {
    const { rows, reader } = this.#parts;
    this.#position ??= rows.consistentRead(() => reader.lastPosition(this.#level));
    this.#ahead.add(following);
  }

  /** A subscription has ended. */
  leave(following: Following): void {
    const { stream } = following;
    this.#ahead.delete(following);
    stream.live.delete(following);
    if (stream.live.size === 0) {
      this.#index.delete(stream);
      this.#parts.pending?.delete(stream);
    }
    this.#restIfAlone();
  }

  /** Ends all. */
  clear(): void {
    this.#parts.pending?.clear();
    this.#deliveries.clear();
    this.#ahead.clear();
    this.#position = undefined;
  }

  /** Tells until that time; true when there is more to tell. */
  tellUntil(endMs: number): boolean {
    const { clock } = this.#parts;
    while (this.#position !== undefined && this.#step(this.#position, endMs))
      if (clock.elapsedMs() >= endMs) return true;
    return false;
  }

  /** False when nothing is left to do. */
  #step(position: Position, endMs: number): boolean {
    if (!this.#deliveries.isEmpty) {
      this.#deliveries.sendUntil(endMs);
      return true;
    }
    if (isWhole(position)) this.#admitFollowers(position);
    const { rows, balances } = this.#parts;
    const found = rows.consistentRead(() => this.#look(position));
    if (found === undefined) {
      this.#sendBack(({ position: ahead }) => commonBlock(rows, ahead) !== positionNumber(ahead));
      const changes = balances?.changes(position);
      for (const delivery of changes ?? []) this.#deliveries.add(delivery);
      return changes !== undefined || this.#tellPending(position);
    }
    if ('undone' in found) this.#undo(found.undone, position);
    else this.#tell(found, position);
    return true;
  }

  /** Returns the next piece between a position and the end of the level. */
  #look(position: Position): Found {
    const { rows, reader } = this.#parts;
    const common = commonBlock(rows, position) ?? 0;
    if (common < positionNumber(position)) return { undone: reader.positionBehind(common) };
    const chunk = reader.chunkBehind(position, this.#level, this.#index.needsOperations);
    return chunk && { chunk, touched: this.#touchedBalances(chunk) };
  }

  /** Finds them with the end of a block, because a balance is told when all of its block was looked through. */
  #touchedBalances({ ended }: BlockChunk): Iterable<Stream> {
    if (ended === undefined || !this.#index.needsBalances) return [];
    return this.#index.findBalances(changedAccounts(this.#parts.rows, ended.number));
  }

  /** Subscriptions that have come to here go on together; one that was overtaken reads on by itself. */
  #admitFollowers(position: Position): void {
    const { catchUp, balances, pending } = this.#parts;
    for (const following of this.#ahead) {
      const number = positionNumber(following.position);
      if (number > positionNumber(position)) continue;
      this.#ahead.delete(following);
      if (!samePosition(following.position, position)) {
        catchUp(following, following.position, false);
        continue;
      }
      const { stream } = following;
      if (stream.live.size === 0) {
        this.#index.add(stream);
        pending?.add(stream);
      }
      stream.live.add(following);
      if (stream.subject.kind === 'balances') balances?.welcome(following);
    }
    this.#restIfAlone();
  }

  /** Those who are ahead of this level, on a branch that was left, are told so without waiting for a block. */
  #sendBack(isLeft: (following: Following) => boolean): void {
    for (const following of this.#ahead) {
      if (!isLeft(following)) continue;
      this.#ahead.delete(following);
      this.#parts.catchUp(following, following.position, false);
    }
  }

  #restIfAlone(): void {
    if (this.#index.streams.size === 0 && this.#ahead.size === 0 && this.#deliveries.isEmpty)
      this.#position = undefined;
  }

  #undo(common: Position, before: Position): void {
    const { reader, balances } = this.#parts;
    const number = positionNumber(common);
    this.#position = common;
    const told = [...this.#index.streams].flatMap(({ live }) =>
      [...live].filter(({ lastNumber }) => lastNumber > number),
    );
    this.#deliveries.add({ items: reader.undoneText(common), to: told.values(), before, number });
    // A client may have dropped the balance of the undone block, so it hears even of the same one.
    for (const following of told) if (following.stream.subject.kind === 'balances') balances?.welcome(following);
    this.#sendBack(() => true);
  }

  /** Tells pending transactions after those of blocks. False when there is none. */
  #tellPending(before: Position): boolean {
    const texts = this.#parts.pending?.next();
    for (const [stream, items] of texts ?? []) {
      this.#deliveries.add(makeDelivery(stream, { items: items.join(','), before, number: undefined }));
    }
    return texts !== undefined;
  }

  #tell({ chunk: { entries, end, ended }, touched }: FoundChunk, before: Position): void {
    const { reader, balances } = this.#parts;
    this.#position = end;
    for (const stream of touched) balances?.touch(stream);
    const texts = new Map<Stream, string[]>();
    for (const entry of entries) {
      let text: string | undefined;
      for (const stream of this.#index.findStreams(entry))
        streamTexts(texts, stream).push((text ??= reader.operationText(entry, end)));
    }
    const { ofBlocks, ofWholeBlocks } = this.#index;
    if (ended !== undefined && ofBlocks.size + ofWholeBlocks.size > 0) {
      const text = reader.blockText(ended, end);
      for (const stream of [...ofBlocks, ...ofWholeBlocks]) streamTexts(texts, stream).push(text);
    }
    const number = positionNumber(end);
    for (const [stream, items] of texts)
      this.#deliveries.add(makeDelivery(stream, { items: items.join(','), before, number }));
  }
}

function makeDelivery(stream: Stream, delivery: Omit<Delivery, 'to'>): Delivery {
  return { ...delivery, to: stream.live.values() };
}
