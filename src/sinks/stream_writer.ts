import { errorMessage } from '../base/error_message.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { present } from '../base/assert.ts';
import { getBlockNumber, ZERO_HASH160, type BlockId } from '../values/hash.ts';
import { BlockMessages, type BlockMessage, type MessageRules } from './block_messages.ts';
import type { BlockHead } from './event_schema.ts';
import { StreamMoved, UnusableStream, type EventKind, type Mark, type Sink } from './sink.ts';
import { Pauses } from './pauses.ts';
import { BlockReplaced, type ChainEnd, type SinkChain } from './sink_chain.ts';
import type { SinkFigures } from './sink_figures.ts';

export interface StreamWriterParts {
  readonly chain: SinkChain;
  readonly sink: Sink;
  readonly rules: MessageRules;
  /** Blocks are told once no branch can replace them; nothing is undone then. */
  readonly irreversibleOnly: boolean;
  /**
   * The chain's user may take back any block, as on a development chain; otherwise a stream is never shortened below
   * what it called irreversible.
   */
  readonly mayRevert: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** While it catches up, so many blocks are called irreversible together. */
const MARKER_BLOCKS = 1000;
/** A look without a cause: were a message of the feed lost, no more than that would be late. */
const LOOK_EACH_MS = 1000;
/** Raised with the schema: a block that was half told in another one is told again. */
const FORM_VERSION = 2;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** Of blocks whose predecessors stay known without asking the stream. */
const MOST_REMEMBERED = 1024;
/** A branch of a few blocks is taken back before anybody can look. */
const LONG_UNDO_BLOCKS = 10;

/**
 * Writes the events of a chain into a stream, at the stream's pace: what comes next follows from the stream's last
 * message and the committed rows alone, so nothing is kept for it, and whatever is killed goes on where it was.
 */
export class StreamWriter {
  readonly #parts: StreamWriterParts;
  readonly #form: string;
  readonly #messages: BlockMessages;
  readonly #figures = { blocks: 0, messages: 0, operations: 0, bytes: 0, undone: 0, retries: 0 };
  /** The block before each block that was told lately. */
  readonly #before = new Map<BlockId, BlockId>();
  #problem: string | undefined;
  /** Blocks that were taken back since the last one that was written. */
  #undoing = 0;
  #isAhead = false;
  /** The highest head of the chain since this began. */
  #highest = 0;
  #lost: { readonly messages: number; readonly atMs: number } | undefined;
  readonly #pauses: Pauses;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(parts: StreamWriterParts) {
    this.#parts = parts;
    this.#pauses = new Pauses(parts.clock);
    this.#messages = new BlockMessages(parts.rules);
    const { form, withOperations } = parts.rules;
    const name = `${form.name}-${FORM_VERSION}`;
    this.#form = withOperations ? `${name}+operations` : name;
  }

  /** The state of the stream. What the stream has not accepted doesn't count. */
  get figures(): SinkFigures {
    const { chain, sink, irreversibleOnly } = this.#parts;
    const end = chain.end;
    const target = irreversibleOnly ? end.irreversible : end.number;
    const number = sink.last === undefined ? 0 : getBlockNumber(sink.last.head);
    const lagBlocks = Math.abs(target - number);
    const behindTime = number >= target ? undefined : chain.blockTime(Math.max(number, end.oldest));
    const lagSeconds = behindTime === undefined ? 0 : Math.max(0, (chain.blockTime(target) ?? end.time) - behindTime);
    return {
      ...this.#figures,
      number,
      lagBlocks,
      lagSeconds,
      ...this.#lostFigures(),
      standing: this.#standing,
      problem: this.#problem,
    };
  }

  #lostFigures(): Pick<SinkFigures, 'lostMessages' | 'lostSecondsAgo'> {
    if (this.#lost === undefined) return { lostMessages: 0, lostSecondsAgo: undefined };
    const { messages, atMs } = this.#lost;
    return { lostMessages: messages, lostSecondsAgo: Math.trunc((this.#parts.clock.elapsedMs() - atMs) / 1000) };
  }

  get #standing(): string | undefined {
    const { chain, sink } = this.#parts;
    if (this.#isAhead && sink.last !== undefined)
      return `its last block is ${getBlockNumber(sink.last.head)} and the chain's ${chain.end.number}: nothing is written until the chain is there`;
    if (this.#undoing < LONG_UNDO_BLOCKS) return undefined;
    return `it takes back blocks of a branch that the chain has left, ${this.#undoing} so far`;
  }

  /** The chain has changed. */
  wake(): void {
    this.#pauses.wake();
  }

  /** Ends `run` once the message under way is published. */
  stop(): void {
    this.#pauses.stop();
  }

  /** Writes until it is stopped; whatever fails outside is tried again. */
  async run(): Promise<void> {
    const { sink } = this.#parts;
    while (!this.#pauses.isStopped) {
      try {
        await this.#write(await this.#begin());
      } catch (error) {
        await this.#fail(error);
      }
    }
    await sink.close();
  }

  async #begin(): Promise<StreamPlace> {
    const { sink, chain, log } = this.#parts;
    const mark = await sink.position();
    this.#noteLost(sink.lostMessages);
    const place = nextPlace(mark, chain);
    if (mark === undefined && this.#problem === undefined)
      log.notice(`the event stream has no messages: it begins with block ${placeNumber(place) + 1}`, 'stream_begun', {
        block: placeNumber(place) + 1,
      });
    // A block that was begun in another form can't be gone on with.
    if (place.told !== undefined && mark?.form !== this.#form) await this.#undo(place);
    return place;
  }

  /** Readers that keep a sequence alone miss blocks, or read some twice. */
  #noteLost(messages: number): void {
    const { clock, log } = this.#parts;
    const lost = messages - (this.#lost?.messages ?? 0);
    if (lost === 0) return;
    this.#lost = { messages, atMs: clock.elapsedMs() };
    log.warning(
      'the event stream lacks messages that its server had acknowledged; they are written again, under other sequences',
      'stream_messages_lost',
      {
        messages: lost,
      },
    );
  }

  async #write(place: StreamPlace): Promise<void> {
    const { sink } = this.#parts;
    const first = placeNumber(place);
    while (!this.#pauses.isStopped) {
      const isThereMore = await this.#step(place);
      // A stream may be found, and take nothing.
      if (!isThereMore || this.#problem !== undefined) await sink.accepted();
      this.#noteWriting(first);
      if (isThereMore) continue;
      this.#undoing = 0;
      this.#pauseMs = FIRST_PAUSE_MS;
      await this.#pauses.untilWoken(LOOK_EACH_MS);
    }
    await sink.accepted();
  }

  /** All that was to be written so far has been taken. */
  #noteWriting(first: number): void {
    if (this.#problem !== undefined)
      this.#parts.log.notice(`the event stream goes on behind block ${first}`, 'stream_resumed', { block: first });
    this.#problem = undefined;
  }

  /** Publishes what comes next; false when there is nothing. */
  async #step(place: StreamPlace): Promise<boolean> {
    const { chain, irreversibleOnly } = this.#parts;
    const end = chain.end;
    const number = placeNumber(place);
    this.#requireKept(number, end);
    const isAhead = number > end.number;
    // A node that has begun anew will come to that block; one whose head was seen there has left it for a shorter
    // branch.
    this.#highest = Math.max(this.#highest, end.number);
    this.#isAhead = isAhead && !this.#parts.mayRevert && number > this.#highest;
    if (this.#isAhead) return false;
    if (isAhead || chain.blockId(number) !== place.head) return await this.#undo(place);
    if (place.told !== undefined) return await this.#publishBlock(place, number);
    const target = irreversibleOnly ? end.irreversible : end.number;
    if (number < target && number - place.irreversible < MARKER_BLOCKS)
      return await this.#publishBlock(place, number + 1);
    const irreversible = Math.min(number, end.irreversible);
    if (!irreversibleOnly && irreversible > place.irreversible) return await this.#publishMarker(place, irreversible);
    return number < target && (await this.#publishBlock(place, number + 1));
  }

  #requireKept(number: number, { oldest, number: head }: ChainEnd): void {
    if (number >= oldest - 1 || head < oldest) return;
    throw new UnusableStream(
      `its last block is ${number}, and the first that this node keeps is ${oldest} (blocks-kept): let a node write that has all blocks, or empty the stream`,
    );
  }

  /** Takes the last block of the stream back. */
  async #undo(place: StreamPlace): Promise<boolean> {
    const { mayRevert } = this.#parts;
    const { head, irreversible } = place;
    const number = placeNumber(place);
    const isWhole = place.told === undefined;
    if (isWhole && number <= irreversible && !mayRevert) {
      throw new UnusableStream(
        `it says that block ${number} is irreversible and has id ${head}, which this chain has not: it is of another chain, or this node is`,
      );
    }
    const previous = place.previous ?? this.#before.get(head) ?? (await this.#askPrevious(head));
    const kept = Math.min(irreversible, number - 1);
    await this.#publish(
      'undo',
      { block: head, previous, head: previous, irreversible: kept },
      this.#payload({ Undo: { number, id: head, previous } }),
    );
    Object.assign(place, { head: previous, previous: undefined, told: undefined, irreversible: kept });
    this.#figures.undone++;
    this.#undoing++;
    return true;
  }

  async #askPrevious(head: BlockId): Promise<BlockId> {
    const mark = await this.#parts.sink.find(head);
    if (mark !== undefined) return mark.previous;
    throw new UnusableStream(
      `block ${getBlockNumber(head)} with id ${head} has to be undone, and the stream keeps it no more: let it keep all blocks that are not irreversible, or empty it`,
    );
  }

  async #publishMarker(place: StreamPlace, number: number): Promise<boolean> {
    const { chain } = this.#parts;
    const id = chain.blockId(number);
    // The main branch may have changed since.
    if (id === undefined || chain.blockId(getBlockNumber(place.head)) !== place.head) return true;
    await this.#publish(
      'irreversible',
      { block: id, previous: ZERO_HASH160, head: place.head, irreversible: number },
      this.#payload({ Irreversible: { number, id } }),
    );
    // The head has been told of before this message.
    place.irreversible = number;
    return true;
  }

  /** Publishes a block, or the rest of the one that has been begun. */
  async #publishBlock(place: StreamPlace, number: number): Promise<boolean> {
    const { chain } = this.#parts;
    const head = chain.head(number);
    const follows = place.told === undefined ? head?.previous === place.head : head?.id === place.head;
    if (head === undefined || !follows) return true; // replaced since the look
    let index = 0;
    const told = place.told ?? 0;
    try {
      for (const message of this.#messages.of(head, chain.operations(head))) {
        if (index >= told) await this.#publishPart(place, head, message, index);
        index++;
        if (this.#pauses.isStopped) return true;
      }
    } catch (error) {
      if (!(error instanceof BlockReplaced)) throw error;
    }
    return true;
  }

  async #publishPart(place: StreamPlace, head: BlockHead, message: BlockMessage, index: number): Promise<void> {
    const { event, kind, payload, isEnd } = message;
    const { id: block, previous } = head;
    await this.#publish(
      event,
      { block, previous, head: block, message: index, isEnd, irreversible: place.irreversible },
      payload,
      kind,
    );
    Object.assign(place, { head: block, previous, told: isEnd ? undefined : index + 1 });
    if (event === 'operation') this.#figures.operations++;
    if (!isEnd) return;
    this.#figures.blocks++;
    this.#undoing = 0;
    this.#remember(block, previous);
  }

  #remember(block: BlockId, previous: BlockId): void {
    this.#before.set(block, previous);
    if (this.#before.size <= MOST_REMEMBERED) return;
    this.#before.delete(present(this.#before.keys().next().value, 'the oldest'));
  }

  async #publish(
    event: EventKind,
    mark: Pick<Mark, 'block' | 'previous' | 'head' | 'irreversible'> & Partial<Pick<Mark, 'message' | 'isEnd'>>,
    payload: Uint8Array,
    kind?: string,
  ): Promise<void> {
    const whole: Mark = { message: 0, isEnd: true, ...mark, event, form: this.#form };
    await this.#parts.sink.publish({ mark: whole, payload, ...(kind === undefined ? {} : { kind }) });
    this.#figures.messages++;
    this.#figures.bytes += payload.length;
  }

  #payload(event: Parameters<MessageRules['form']['event']>[0]): Uint8Array {
    return this.#parts.rules.form.event(event);
  }

  /** Says once what is wrong, and waits a little longer each time. */
  async #fail(error: unknown): Promise<void> {
    const { log } = this.#parts;
    const isLasting = error instanceof UnusableStream;
    const text = errorMessage(error);
    if (error instanceof StreamMoved) log.debug(text, 'stream_moved', {});
    else if (this.#problem === undefined) {
      if (isLasting) log.error(`the event stream can not be written: ${text}`, 'stream_unusable', {});
      else log.warning(`the event stream is interrupted and will be tried again: ${text}`, 'stream_interrupted', {});
    }
    // Its last message is looked at; two nodes of one chain take turns.
    if (!(error instanceof StreamMoved)) this.#problem = text;
    this.#figures.retries++;
    const pauseMs = isLasting ? LONGEST_PAUSE_MS : this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    // Blocks that come meanwhile are no reason to hurry.
    await this.#pauses.deep(pauseMs);
  }
}

/** The stream's place, including messages that it has not accepted yet. */
interface StreamPlace {
  head: BlockId;
  /** Undefined where only the stream knows. */
  previous: BlockId | undefined;
  /** Messages of the head that are there, while it is not complete. */
  told: number | undefined;
  irreversible: number;
}

/** Behind a message; an empty stream begins with the first block that is kept. */
function nextPlace(mark: Mark | undefined, chain: SinkChain): StreamPlace {
  if (mark === undefined) {
    const before = chain.end.oldest - 1;
    return { head: chain.blockId(before) ?? ZERO_HASH160, previous: undefined, told: undefined, irreversible: before };
  }
  const isOfHead = mark.block === mark.head && (mark.event === 'block' || mark.event === 'operation');
  return {
    head: mark.head,
    previous: isOfHead ? mark.previous : undefined,
    told: isOfHead && !mark.isEnd ? mark.message + 1 : undefined,
    irreversible: mark.irreversible,
  };
}

/** The number of the last block that has been begun. */
function placeNumber({ head }: StreamPlace): number {
  return getBlockNumber(head);
}
