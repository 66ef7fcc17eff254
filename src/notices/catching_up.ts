import type { CommittedState } from '../queries/committed_state.ts';
import { Refusal } from '../base/refusal.ts';
import type { Clock } from '../base/clock.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { HistoryEntry } from '../queries/history_entry.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import { noticeText } from '../queries/notices/chain_notices.ts';
import { lastNumber, nextNumber, type ChainReader } from './chain_reader.ts';
import { HistoryWalk, type FoundRows } from '../queries/notices/history_walk.ts';
import { MOST_UNSENT_BYTES } from './lagging_followers.ts';
import { isWhole, movePosition, positionNumber, type Position } from '../queries/notices/position.ts';
import { commonBlock, keptCommonBlock } from '../queries/notices/standing.ts';
import type { Following, Subject } from './stream.ts';

export interface CatchingUpParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly encoding: EncodingOptions;
  readonly limits: Pick<Limits, 'stalledMs'>;
  readonly reader: ChainReader;
  /** Takes a subscription that was told everything up to the end of its level. */
  readonly admit: (following: Following) => void;
  /** Takes one that can't go on; it has been told why. */
  readonly end: (following: Following) => void;
}

/** Small blocks that are read in one step. */
const BLOCKS_AT_ONCE = 16;
/** A step ends with the block that makes its notice this long. */
const NOTICE_CHARACTERS = 64 * 1024;

/** A step's findings for one subscription. */
interface Step {
  readonly items: string;
  readonly position: Position;
  /** The last block that `items` tell of. */
  readonly toldNumber?: number | undefined;
  readonly isAtEnd?: boolean;
  readonly rows?: FoundRows;
  readonly walk?: HistoryWalk | undefined;
}

type OperationSubject = Extract<Subject, { kind: 'operations' }>;

/**
 * Tells subscriptions what they have missed, from committed rows: one bounded step for each in turn, as fast as its
 * reader takes it. What a slow reader has not been told yet waits in the database and nowhere else.
 */
export class CatchingUp {
  readonly #parts: CatchingUpParts;
  /** The next one first. */
  readonly #queue = new Set<Following>();

  constructor(parts: CatchingUpParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0;
  }

  add(following: Following, position: Position, isSlow: boolean): void {
    following.position = position;
    following.walk = undefined;
    following.movedMs = this.#parts.clock.nowMs();
    if (isSlow) following.send(noticeText('behind', { position }, this.#parts.encoding));
    this.#queue.add(following);
  }

  leave(following: Following): void {
    this.#queue.delete(following);
  }

  clear(): void {
    this.#queue.clear();
  }

  /** Takes steps until that time; false when none was possible. */
  tellUntil(endMs: number): boolean {
    const { clock } = this.#parts;
    let moved = false;
    for (const following of [...this.#queue]) {
      this.#queue.delete(following);
      if (this.#hasRoom(following)) {
        moved = true;
        if (this.#takesStep(following)) this.#queue.add(following);
      } else if (this.#isWaitedFor(following)) this.#queue.add(following);
      if (clock.elapsedMs() >= endMs) return moved;
    }
    return moved;
  }

  #hasRoom({ subscriber }: Following): boolean {
    return subscriber.unsentBytes() <= MOST_UNSENT_BYTES;
  }

  /** False for a reader that has taken nothing for too long: its connection is closed. */
  #isWaitedFor({ subscriber, movedMs }: Following): boolean {
    const { clock, limits } = this.#parts;
    if (clock.nowMs() - movedMs <= limits.stalledMs) return true;
    subscriber.drop('too far behind');
    return false;
  }

  /** The same as `#takeStep`; a subscription that fails is not left silent. */
  #takesStep(following: Following): boolean {
    try {
      return this.#takeStep(following);
    } catch (error) {
      following.subscriber.drop('internal error');
      throw error;
    }
  }

  /** True when it has to go on. */
  #takeStep(following: Following): boolean {
    const { rows, clock, admit, end, encoding } = this.#parts;
    following.movedMs = clock.nowMs();
    let step: Step;
    try {
      step = rows.consistentRead(() => this.#nextStep(following));
    } catch (error) {
      // What it is to be told has been pruned meanwhile.
      if (!(error instanceof Refusal)) throw error;
      const { code: name, message } = error;
      following.send(noticeText('ended', { position: following.position, error: { name, message } }, encoding));
      end(following);
      return false;
    }
    following.position = step.position;
    following.walk = step.walk;
    step.walk?.note(step.rows ?? []);
    if (step.toldNumber !== undefined) following.lastNumber = step.toldNumber;
    if (step.items !== '') following.send(step.items);
    if (step.isAtEnd !== true) return true;
    following.walk = undefined;
    admit(following);
    return false;
  }

  #nextStep(following: Following): Step {
    const { rows, reader } = this.#parts;
    const { position, stream } = following;
    const common = keptCommonBlock(rows, position);
    if (common < positionNumber(position)) {
      const back = reader.positionBehind(common);
      const isTold = following.lastNumber > common;
      return {
        items: isTold ? reader.undoneText(back) : '',
        position: back,
        toldNumber: Math.min(common, following.lastNumber),
      };
    }
    const { subject } = stream;
    if (subject.kind === 'balances') return { items: '', position: reader.lastPosition('head'), isAtEnd: true };
    if (subject.kind === 'operations' && subject.accounts !== undefined)
      return this.#historyStep(following, subject, subject.accounts);
    return this.#blocksStep(position, subject);
  }

  /** The next blocks, one part after the other. */
  #blocksStep(from: Position, subject: Exclude<Subject, { kind: 'balances' }>): Step {
    const { reader } = this.#parts;
    const texts: string[] = [];
    let [position, characters] = [from, 0];
    let toldNumber: number | undefined;
    for (let count = 0; count < BLOCKS_AT_ONCE && characters < NOTICE_CHARACTERS; count++) {
      const chunk = reader.chunkBehind(position, subject.level, subject.kind === 'operations');
      if (chunk === undefined) return { items: texts.join(','), position, toldNumber, isAtEnd: count === 0 };
      position = chunk.end;
      const found = subject.kind === 'operations' ? this.#operationTexts(subject, chunk.entries, position) : [];
      if ((subject.kind === 'blocks' || subject.withBlocks) && chunk.ended !== undefined)
        found.push(reader.blockText(chunk.ended, position));
      if (found.length > 0) toldNumber = positionNumber(position);
      for (const text of found) characters += text.length;
      texts.push(...found);
      // A part of a large block is a step by itself.
      if (chunk.entries.length > BLOCKS_AT_ONCE) break;
    }
    return { items: texts.join(','), position, toldNumber };
  }

  /** The next operations in the histories of the accounts. */
  #historyStep(following: Following, subject: OperationSubject, accounts: Iterable<string>): Step {
    const { rows, reader } = this.#parts;
    const { position } = following;
    const next = nextNumber(position);
    if (next > lastNumber(rows, subject.level)) return { items: '', position, isAtEnd: true };
    const walk = this.#historyWalk(following, subject, accounts);
    const found = walk.search(rows, next);
    if (found.length > 0) return { items: '', position, walk, rows: found };
    const number = walk.nextBlock(next);
    if (number === undefined) return { items: '', position: walk.end };
    const after = number === positionNumber(position) && !isWhole(position) ? position.place : undefined;
    const { entries, end } = walk.readOperations(rows, number, after);
    const block = reader.positionBehind(number);
    const place = movePosition(block, end);
    const texts = this.#operationTexts(subject, entries, block);
    const toldNumber = texts.length > 0 ? number : undefined;
    return {
      items: texts.join(','),
      position: place,
      toldNumber,
      walk,
      rows: isWhole(place) ? walk.behind(rows, number) : [],
    };
  }

  /** Another branch may have replaced what the walk was to end with. */
  #historyWalk({ walk }: Following, { level }: Subject, accounts: Iterable<string>): HistoryWalk {
    const { rows, reader } = this.#parts;
    const isOfUse = walk !== undefined && commonBlock(rows, walk.end) === positionNumber(walk.end);
    return isOfUse ? walk : new HistoryWalk(accounts, reader.lastPosition(level));
  }

  #operationTexts({ kinds }: OperationSubject, entries: readonly HistoryEntry[], inBlock: Position): string[] {
    const { reader } = this.#parts;
    return entries
      .filter(({ op }) => kinds === undefined || kinds.has(op.kind))
      .map((entry) => reader.operationText(entry, inBlock));
  }
}
