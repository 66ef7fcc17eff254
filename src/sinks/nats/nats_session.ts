import type { JetStreamClient, JetStreamManager, PubAck, StreamInfo } from '@nats-io/jetstream';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { EventForm } from '../event_form.ts';
import { UnusableStream, type Mark, type StreamMessage } from '../sink.ts';
import { headersOf, markIn } from './message_headers.ts';
import { withAdvice } from './nats_advice.ts';
import { ANSWER_MS, connectToNats } from './nats_link.ts';
import type { NatsConnectionSettings } from './nats_settings.ts';

/** What a stream of NATS is written with. */
export interface NatsSinkParts {
  readonly connection: NatsConnectionSettings;
  /** What all subjects begin with. */
  readonly subject: string;
  readonly stream: string;
  readonly form: EventForm;
}

/** Without an answer at most: what a server takes in some milliseconds, and as much memory as one block may need. */
const MOST_UNANSWERED = { messages: 512, bytes: 8 * 1024 * 1024 };

interface Libraries {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly headers: () => MsgHdrs;
}

/** One connection to a stream. Once anything has failed, it fails for ever: what was under way is unknown. */
export class NatsSession {
  readonly #parts: NatsSinkParts;
  readonly #connection: NatsConnection;
  readonly #libraries: Libraries;
  /** Of the last message that was sent. */
  #sequence = 0;
  /** The id of the last message that was sent over this connection. */
  #sentId: string | undefined;
  #unanswered = { messages: 0, bytes: 0 };
  #failure: Error | undefined;
  #noticed: () => void = () => {};
  #last: Mark | undefined;

  private constructor(parts: NatsSinkParts, connection: NatsConnection, libraries: Libraries) {
    this.#parts = parts;
    this.#connection = connection;
    this.#libraries = libraries;
    // Who waits is told, also when nothing is under way.
    void connection.closed().then((error) => this.#fail(error ?? new Error('the connection to the NATS server is closed')));
  }

  /** Connects and finds the stream, which is made where there is none, and its last message. */
  static async open(parts: NatsSinkParts): Promise<NatsSession> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
    const { headers } = await import('@nats-io/transport-node');
    const connection = await connectToNats(parts.connection, 'pharos');
    try {
      const options = { timeout: ANSWER_MS };
      const [client, manager] = [jetstream(connection, options), await jetstreamManager(connection, options)];
      const session = new NatsSession(parts, connection, { client, manager, headers: () => headers() });
      await session.#begin();
      return session;
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  }

  /** The mark of the last message that the stream has taken. */
  get last(): Mark | undefined {
    return this.#last;
  }

  /** Of the last block or operation with that id, looked for from the end back. */
  async find(block: string): Promise<Mark | undefined> {
    for (let sequence = this.#sequence; sequence > 0;) {
      const mark = await this.#markAt(sequence);
      if (mark === undefined) return undefined;
      const isOfBlock = mark.event === 'block' || mark.event === 'operation';
      if (isOfBlock && mark.block === block) return mark;
      // The messages about a block follow each other.
      sequence -= isOfBlock ? mark.message + 1 : 1;
    }
    return undefined;
  }

  /** Resolves once there is room for the next message. */
  async publish({ mark, kind, payload }: StreamMessage): Promise<void> {
    const { client, headers } = this.#libraries;
    const { subject, form } = this.#parts;
    const expected = this.#sequence++;
    const all = headers();
    for (const [name, value] of headersOf(mark, form)) all.set(name, value);
    this.#count(1, payload.length);
    const place = kind === undefined ? `${subject}.${mark.event}` : `${subject}.operation.${kind}`;
    // Names the event and its place: a block that is undone and comes again is another message.
    const msgID = `${mark.event}-${mark.block}-${mark.message}-${mark.form}-${expected}`;
    // The number alone would let in what arrives late after its predecessor was refused. For the first one it is enough: what the stream has
    // up to that number stays, and a server that has begun anew doesn't know ids of long ago.
    const expect = this.#sentId === undefined ? { lastSequence: expected } : { lastSequence: expected, lastMsgID: this.#sentId };
    this.#sentId = msgID;
    client.publish(place, payload, { msgID, expect, headers: all, timeout: ANSWER_MS }).then(
      (ack) => this.#answered(ack, expected, mark, payload.length),
      (error: unknown) => this.#fail(error),
    );
    await this.#until(() => this.#unanswered.messages < MOST_UNANSWERED.messages && this.#unanswered.bytes < MOST_UNANSWERED.bytes);
  }

  /** Resolves once the stream has all messages. */
  async accepted(): Promise<void> {
    await this.#until(() => this.#unanswered.messages === 0);
  }

  async close(): Promise<void> {
    await this.#connection.close().catch(() => undefined);
  }

  async #begin(): Promise<void> {
    const { stream } = this.#parts;
    const { state } = await this.#stream();
    this.#sequence = state.last_seq;
    if (state.messages === 0) return;
    this.#last = await this.#markAt(state.last_seq);
    if (this.#last !== undefined) return;
    throw new UnusableStream(
      `the last message of the stream ${stream}, ${state.last_seq}, is not one of a node: nobody else may write there; remove it, or empty the stream`,
    );
  }

  async #stream(): Promise<StreamInfo> {
    const { manager } = this.#libraries;
    const { stream, subject } = this.#parts;
    const found = await manager.streams.info(stream).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    const info = found ?? (await manager.streams.add({ name: stream, subjects: [`${subject}.>`] }));
    if (!info.config.subjects.some((each) => covers(each, subject)))
      throw new UnusableStream(`the stream ${stream} takes other subjects than ${subject}.>: add that one, or name another stream`);
    return info;
  }

  /** Of the message with that number; undefined where it is no more, or is not a node's. */
  async #markAt(sequence: number): Promise<Mark | undefined> {
    const message = await this.#libraries.manager.streams.getMessage(this.#parts.stream, { seq: sequence });
    return message === null ? undefined : markIn((name) => message.header.get(name));
  }

  #answered({ seq }: PubAck, expected: number, mark: Mark, bytes: number): void {
    if (seq !== expected + 1) return this.#fail(new Error(`the stream has taken message ${expected + 1} as ${seq}`));
    this.#last = mark;
    this.#count(-1, -bytes);
    this.#noticed();
  }

  #count(messages: number, bytes: number): void {
    this.#unanswered = { messages: this.#unanswered.messages + messages, bytes: this.#unanswered.bytes + bytes };
  }

  #fail(error: unknown): void {
    this.#failure ??= withAdvice(error, this.#parts.connection);
    this.#noticed();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isSo()) {
      await new Promise<void>((resolve) => {
        this.#noticed = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}

const MISSING_STREAM = 10_059;

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === MISSING_STREAM;
}

/** Whether a stream with that subject takes all of a chain's. */
function covers(subject: string, chain: string): boolean {
  const first = chain.split('.')[0] ?? '';
  return [`${chain}.>`, `${first}.>`, `${first}.*.>`, '*.*.>', '*.>', '>'].includes(subject);
}
