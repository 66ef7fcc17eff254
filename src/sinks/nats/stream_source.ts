import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { errorMessage } from '../../base/error_message.ts';
import { AssertionFailure } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { getBlockNumber, ZERO_HASH160 } from '../../values/hash.ts';
import type { StoredHead, ChainFacts, ChainSource, GenesisBalance, SourceChain, SourceEvent } from '../chain_source.ts';
import { SourceQueue } from '../source_queue.ts';
import { StreamBlocks, type StreamEvent } from '../stream_blocks.ts';
import { beyond, findStart } from '../stream_search.ts';
import { UnusableStream, type Mark } from '../sink.ts';
import { UnreadableRecord } from '../unreadable_record.ts';
import { readMark } from './message_headers.ts';
import { ANSWER_MS, connectToNats } from './nats_link.ts';
import { chainSubject, covers, type NatsConnectionSettings } from './nats_settings.ts';
import { MissingStream, onlyStream, readMessage } from './stream_reader.ts';

export interface StreamSourceParts {
  readonly connection: NatsConnectionSettings;
  /** The name of the stream; the only one of the chain when undefined. */
  readonly stream: string | undefined;
  /** Asked what the stream does not tell. */
  readonly facts: ChainFacts;
}

/** Of half a MiB at most each. */
const AT_ONCE = 64;

interface Session {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly name: string;
}

/** The event stream of a node in NATS, read without leaving anything there. Positions are numbers of messages. */
export class StreamSource implements ChainSource {
  readonly #parts: StreamSourceParts;
  readonly #queue = new SourceQueue();
  #chain: SourceChain | undefined;
  #session: Session | undefined;
  /** Counts the starts: what an earlier one has under way is of no use. */
  #turn = 0;
  #blocks = new StreamBlocks();
  /** Of the last message that was taken. */
  #sequence = 0;
  readonly problem = undefined;
  head = 0;

  constructor(parts: StreamSourceParts) {
    this.#parts = parts;
  }

  async chain(known: SourceChain | undefined): Promise<SourceChain> {
    this.#chain = known ?? (await this.#parts.facts.chain(undefined));
    return this.#chain;
  }

  async genesisBalances(): Promise<readonly GenesisBalance[]> {
    return await this.#parts.facts.genesisBalances();
  }

  async mayRevert(): Promise<boolean> {
    return await this.#parts.facts.mayRevert();
  }

  async start(behind: StoredHead): Promise<void> {
    const turn = ++this.#turn;
    this.#queue.clear();
    this.#blocks = new StreamBlocks();
    try {
      await this.#connect(turn);
      const { first, last } = await this.#state();
      this.head = getBlockNumber(last.mark?.head ?? ZERO_HASH160);
      const isThere = await this.#standsBehind(behind);
      const found =
        isThere ??
        (await findStart(
          { first, last: last.sequence, markAt: async (sequence) => await this.#readMark(sequence) },
          behind,
        ));
      this.#sequence = found.sequence;
      void this.#follow(turn, found.isExact ? undefined : behind);
    } catch (error) {
      throw toFailure(error);
    }
  }

  async next(): Promise<readonly SourceEvent[]> {
    return await this.#queue.take();
  }

  interrupt(error: Error): void {
    this.#queue.fail(error);
  }

  close(): void {
    this.#turn++;
    this.#queue.close();
    void this.#session?.connection.close().catch(() => undefined);
  }

  async #connect(turn: number): Promise<void> {
    await this.#session?.connection.close().catch(() => undefined);
    this.#session = undefined;
    const session = await this.#open();
    // Nobody would close it any more, and the process would not end.
    if (turn !== this.#turn) return await session.connection.close();
    this.#session = session;
  }

  async #open(): Promise<Session> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
    const connection = await connectToNats(this.#parts.connection, 'pharos index');
    try {
      const manager = await jetstreamManager(connection, { timeout: ANSWER_MS });
      const name = this.#parts.stream ?? (await onlyStream(manager.streams.names(`${this.#subject}.>`)));
      return { connection, manager, name, client: jetstream(connection, { timeout: ANSWER_MS }) };
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  }

  get #subject(): string {
    return chainSubject(this.#chain?.chainId ?? '');
  }

  /** The message that the database has noted, if the stream still has the same block behind it. */
  async #standsBehind({
    position,
    id,
  }: StoredHead): Promise<{ readonly sequence: number; readonly isExact: true } | undefined> {
    const { name } = this.#opened;
    const sequence = Number(new RegExp(`^stream:${name}:(\\d+)$`).exec(position ?? '')?.[1] ?? 0);
    const mark = sequence === 0 ? undefined : await this.#readMark(sequence);
    return mark?.head === id ? { sequence, isExact: true } : undefined;
  }

  async #readMark(sequence: number): Promise<Mark | undefined> {
    const { manager, name } = this.#opened;
    const message = await manager.streams.getMessage(name, { seq: sequence });
    return message === null ? undefined : readMark((header) => message.header.get(header));
  }

  get #opened(): Session {
    if (this.#session === undefined) throw new Fault('transport', 'the connection to the NATS server is closed');
    return this.#session;
  }

  /**
   * Reads until another start or the end of the connection. `searched` is where the database ends, while the stream is
   * not there yet.
   */
  async #follow(turn: number, searched: StoredHead | undefined): Promise<void> {
    let behind = searched;
    try {
      for await (const message of this.#messages()) {
        if (turn !== this.#turn) return;
        behind = await this.#take(message, behind);
        await this.#queue.room();
      }
      // Its next session may find another stream.
      throw new Fault('transport', 'the connection to the NATS server is lost');
    } catch (error) {
      if (turn === this.#turn) this.#queue.fail(toFailure(error));
    }
  }

  /**
   * Of blocks, what is undone and what is irreversible: a block has its operations, too, so nobody has to send their
   * own messages.
   */
  async *#messages(): AsyncGenerator<JsMsg> {
    const { client, connection, name } = this.#opened;
    const { first } = await this.#state();
    const from = { opt_start_seq: Math.max(this.#sequence + 1, first), filter_subjects: `${this.#subject}.*` };
    const consumer = await client.consumers.get(name, from);
    const found = await consumer.consume({ max_messages: AT_ONCE });
    // A connection that is gone ends what waits for messages.
    void connection.closed().then(() => found.stop());
    yield* found;
  }

  /** The number of its first message, and the last one. Fault `configuration` where it is a stream of another chain. */
  async #state(): Promise<{
    readonly first: number;
    readonly last: { readonly sequence: number; readonly mark: Mark | undefined };
  }> {
    const { name, manager } = this.#opened;
    const { state, config } = await manager.streams.info(name);
    const last = state.messages === 0 ? null : await manager.streams.getMessage(name, { seq: state.last_seq });
    // A mirror takes what another stream has, under no subject of its own.
    const subjects = 'subjects' in config ? config.subjects : [];
    const isOther =
      last === null
        ? !subjects.some((each) => covers(each, this.#subject))
        : !last.subject.startsWith(`${this.#subject}.`);
    const [other] = last === null ? subjects : [last.subject];
    if (isOther && other !== undefined)
      throw new Fault('configuration', `the stream ${name} has ${other}, another chain than ${this.#subject}`);
    const mark = last === null ? undefined : readMark((header) => last.header.get(header));
    return { first: Math.max(1, state.first_seq), last: { sequence: state.last_seq, mark } };
  }

  /** The head of the database while the stream does not exist. */
  async #take(message: JsMsg, behind: StoredHead | undefined): Promise<StoredHead | undefined> {
    const mark = readMark((name) => message.headers?.get(name) ?? '');
    this.#sequence = message.seq;
    if (mark === undefined)
      throw unreadable(message, 'no node has written it: remove it, and let nobody else write there');
    this.head = Math.max(this.head, getBlockNumber(mark.head));
    const event = this.#eventIn(message, mark);
    if (event === undefined) return behind;
    const found = behind === undefined ? [event] : await beyond(event, mark.head, behind);
    for (const each of found ?? []) this.#put(each);
    return found === undefined ? behind : undefined;
  }

  #eventIn(message: JsMsg, { block }: Mark): StreamEvent | undefined {
    try {
      return this.#blocks.take(readMessage(message).record);
    } catch (error) {
      if (error instanceof AssertionFailure || error instanceof UnreadableRecord || !(error instanceof Error))
        throw error;
      throw unreadable(message, error.message, getBlockNumber(block), error);
    }
  }

  #put(event: StreamEvent): void {
    this.#queue.put({ ...event, position: `stream:${this.#opened.name}:${this.#sequence}` });
  }
}

/** A message that can't be read; nothing says which operation of its block is at fault. */
function unreadable({ seq }: JsMsg, why: string, block?: number, cause?: unknown): UnreadableRecord {
  return new UnreadableRecord(
    { ...(block === undefined ? {} : { block }), member: `message ${seq} of the stream` },
    why,
    cause,
  );
}

/** As recovery.ts knows it: libraries have errors of many names for a server that is away. */
function toFailure(error: unknown): Error {
  if (error instanceof Fault || error instanceof AssertionFailure) return error;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return error;
  const said = errorMessage(error);
  if (error instanceof MissingStream || said === STREAM_NOT_FOUND)
    return new Fault('stream_missing', `the NATS server: ${said}`, error);
  if (error instanceof UnusableStream) return new Fault('configuration', said, error);
  return new Fault('transport', `the NATS server: ${said}`, error);
}

const STREAM_NOT_FOUND = 'stream not found';
