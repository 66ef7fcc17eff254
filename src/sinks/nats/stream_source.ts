import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { blockNumberOf } from '../../values/hash.ts';
import type { Behind, ChainFacts, ChainSource, GenesisBalance, SourceChain, SourceEvent } from '../chain_source.ts';
import { SourceQueue } from '../source_queue.ts';
import { StreamBlocks, type StreamEvent } from '../stream_blocks.ts';
import { UnusableStream, type Mark } from '../sink.ts';
import { markIn } from './message_headers.ts';
import { ANSWER_MS, connectToNats } from './nats_link.ts';
import { chainSubject, covers, type NatsConnectionSettings } from './nats_settings.ts';
import { onlyStream, readMessage } from './stream_reader.ts';

/** What a stream is read with. */
export interface StreamSourceParts {
  readonly connection: NatsConnectionSettings;
  /** The name of the stream; the only one of the chain when undefined. */
  readonly stream: string | undefined;
  /** Asked what the stream does not tell, once. */
  readonly facts: ChainFacts;
  readonly clock: Clock;
  readonly log: Log;
}

/** Between attempts to reach a server that has gone. */
const RECONNECT_MS = 1000;
/** Of half a MiB at most each. */
const AT_ONCE = 64;
const ZERO_ID = '0'.repeat(40);

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
  #hasConnected = false;
  #blocks = new StreamBlocks();
  /** The last message that was taken, and what it said of its place. */
  #sequence = 0;
  #mark: Mark | undefined;
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

  async start(behind: Behind): Promise<void> {
    const turn = ++this.#turn;
    this.#queue.clear();
    this.#blocks = new StreamBlocks();
    [this.#sequence, this.#mark] = [0, undefined];
    await this.#connect(turn);
    const isThere = await this.#standsBehind(behind);
    void this.#follow(turn, isThere ? undefined : behind);
  }

  async next(): Promise<readonly SourceEvent[]> {
    return await this.#queue.take();
  }

  close(): void {
    this.#turn++;
    this.#queue.close();
    void this.#session?.connection.close().catch(() => undefined);
  }

  /** Resolves with a connection; a server that was reached once is waited for. */
  async #connect(turn: number): Promise<void> {
    const { clock, log } = this.#parts;
    for (let attempt = 0; turn === this.#turn; attempt++) {
      try {
        await this.#session?.connection.close().catch(() => undefined);
        this.#session = undefined;
        const session = await this.#open();
        // Nobody would close it any more, and the process would not end.
        if (turn !== this.#turn) return await session.connection.close();
        this.#session = session;
        this.#hasConnected = true;
        return;
      } catch (error) {
        if (error instanceof UnusableStream) throw new Fault('configuration', error.message, error);
        const said = error instanceof Error ? error.message : String(error);
        if (!this.#hasConnected) throw new Fault('transport', `the NATS server: ${said}`, error);
        if (attempt === 0) log.warning('lost the NATS server; trying again', { error: said });
        await new Promise<void>((resolve) => void clock.after(RECONNECT_MS, resolve));
      }
    }
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

  /** Whether the next message of the stream is the first one that the database lacks; the reading goes on there then. */
  async #standsBehind({ position, id }: Behind): Promise<boolean> {
    const { name } = this.#opened;
    const sequence = Number(new RegExp(`^stream:${name}:(\\d+)$`).exec(position ?? '')?.[1] ?? 0);
    const mark = sequence === 0 ? undefined : await this.#markAt(sequence);
    if (mark === undefined || mark.head !== id) return false;
    [this.#sequence, this.#mark] = [sequence, mark];
    return true;
  }

  async #markAt(sequence: number): Promise<Mark | undefined> {
    const { manager, name } = this.#opened;
    const message = await manager.streams.getMessage(name, { seq: sequence });
    return message === null ? undefined : markIn((header) => message.header.get(header));
  }

  get #opened(): Session {
    if (this.#session === undefined) throw new Fault('transport', 'the connection to the NATS server is closed');
    return this.#session;
  }

  /** Reads until another start or the end. `searched` is where the database ends, while the stream is not there yet. */
  async #follow(turn: number, searched: Behind | undefined): Promise<void> {
    let behind = searched;
    while (turn === this.#turn) {
      try {
        for await (const message of this.#messages()) {
          if (turn !== this.#turn) return;
          behind = await this.#take(message, behind);
          await this.#queue.room();
        }
        if (turn !== this.#turn) return;
        this.#parts.log.warning('lost the NATS server; trying again');
        await this.#connect(turn);
        await this.#requireSame();
      } catch (error) {
        if (turn === this.#turn) this.#queue.fail(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
  }

  /** Of blocks, what is undone and what is irreversible: a block has its operations, too, so nobody has to send their own messages. */
  async *#messages(): AsyncGenerator<JsMsg> {
    const { client, connection, name } = this.#opened;
    const { first, last } = await this.#state();
    this.head = blockNumberOf(last?.head ?? ZERO_ID);
    const from = { opt_start_seq: Math.max(this.#sequence + 1, first), filter_subjects: `${this.#subject}.*` };
    const consumer = await client.consumers.get(name, from);
    const found = await consumer.consume({ max_messages: AT_ONCE });
    // A connection that is gone ends what waits for messages.
    void connection.closed().then(() => found.stop());
    yield* found;
  }

  /** The number of its first message, and what the last one says. Fault `configuration` where it is a stream of another chain. */
  async #state(): Promise<{ readonly first: number; readonly last: Mark | undefined }> {
    const { name, manager } = this.#opened;
    const { state, config } = await manager.streams.info(name);
    const last = state.messages === 0 ? null : await manager.streams.getMessage(name, { seq: state.last_seq });
    // A mirror takes what another stream has, under no subject of its own.
    const subjects = 'subjects' in config ? config.subjects : [];
    const isOther = last === null ? !subjects.some((each) => covers(each, this.#subject)) : !last.subject.startsWith(`${this.#subject}.`);
    const [other] = last === null ? subjects : [last.subject];
    if (isOther && other !== undefined)
      throw new Fault('configuration', `the stream ${name} has ${other}, another chain than ${this.#subject}`);
    return { first: state.first_seq, last: last === null ? undefined : markIn((header) => last.header.get(header)) };
  }

  /** A stream that was deleted meanwhile and made again has other messages. */
  async #requireSame(): Promise<void> {
    if (this.#sequence === 0) return;
    const found = await this.#markAt(this.#sequence);
    if (found?.block === this.#mark?.block && found?.event === this.#mark?.event && found?.message === this.#mark?.message) return;
    throw new Fault(
      'damaged_data',
      `message ${this.#sequence} of the stream is another one than before: start again, to look for the place`,
    );
  }

  /** Where the database ends, as long as the stream is not there. */
  async #take(message: JsMsg, behind: Behind | undefined): Promise<Behind | undefined> {
    const mark = markIn((name) => message.headers?.get(name) ?? '');
    [this.#sequence, this.#mark] = [message.seq, mark];
    if (mark === undefined) throw new Fault('damaged_data', `message ${message.seq} of the stream is not one of a node`);
    this.head = Math.max(this.head, blockNumberOf(mark.head));
    const event = this.#blocks.take(recordOf(message));
    if (event === undefined) return behind;
    if (behind === undefined) this.#put(event);
    return behind && (await this.#search(event, mark, behind));
  }

  /** Passes over what the database has, until the stream has told all of that, or leaves it for another branch. */
  async #search(event: StreamEvent, mark: Mark, behind: Behind): Promise<Behind | undefined> {
    if (!('block' in event)) return mark.head === behind.id ? undefined : behind;
    const { number, id, previous } = event.block;
    if (id === behind.id) return undefined;
    if ((await behind.idAt(number)) === id) return behind;
    const before = number === 1 ? ZERO_ID : await behind.idAt(number - 1);
    if (before !== previous) throw new Fault('configuration', unfittingText(number, behind));
    if (number <= behind.number) this.#put({ undone: { number: number - 1, id: previous } });
    this.#put(event);
    return undefined;
  }

  #put(event: StreamEvent): void {
    this.#queue.put({ ...event, position: `stream:${this.#opened.name}:${this.#sequence}` });
  }
}

function unfittingText(number: number, behind: Behind): string {
  const begins =
    number > behind.number + 1
      ? `begins with block ${number}, and the database ends with block ${behind.number}`
      : `begins with a block ${number} of another branch than the database's`;
  return `the stream ${begins}: go on from a node with --url up to where both have the same`;
}

function recordOf(message: JsMsg): ReturnType<typeof readMessage>['record'] {
  try {
    return readMessage(message).record;
  } catch (error) {
    if (error instanceof UnusableStream) throw new Fault('damaged_data', error.message, error);
    throw error;
  }
}
