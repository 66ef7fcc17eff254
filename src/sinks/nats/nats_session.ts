import type { JetStreamManager, StoredMsg, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { present } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { EventForm } from '../event_form.ts';
import { UnusableStream, type Mark, type StreamMessage } from '../sink.ts';
import type { Acknowledged, KeptAcknowledged } from '../acknowledged.ts';
import { markHeaders, readMark } from './message_headers.ts';
import { streamRefusal, withAdvice } from './nats_advice.ts';
import { ANSWER_MS, connectToNats, hearErrors } from './nats_link.ts';
import { covers, type NatsConnectionSettings } from './nats_settings.ts';
import { BackwardSearch } from '../backward_search.ts';
import { StreamAnswers, type StreamAnswer } from './stream_answers.ts';

export interface NatsSinkParts {
  readonly connection: NatsConnectionSettings;
  /** The prefix of all subjects. */
  readonly subject: string;
  readonly stream: string;
  readonly form: EventForm;
  readonly clock: Clock;
  /** The record of earlier acknowledgements; nothing is kept when left out. */
  readonly kept?: KeptAcknowledged | undefined;
}

/** Without an answer at most: what a server takes in some milliseconds, and as much memory as one block may need. */
const MOST_UNANSWERED = { messages: 512, bytes: 8 * 1024 * 1024 };

/** Messages that an operator has removed at the end, in a row: each is asked for. */
const MOST_MISSING = 1000;

/** Headers included. */
const MOST_MESSAGE_BYTES = 512 * 1024;

interface Libraries {
  readonly manager: JetStreamManager;
  readonly encodeHeaders: (headers: readonly (readonly [string, string])[]) => MsgHdrs;
  readonly inbox: string;
}

interface Unanswered {
  readonly mark: Mark;
  readonly bytes: number;
}

/** One connection to a stream. Once anything has failed, it fails for ever: what was under way is unknown. */
export class NatsSession {
  readonly #parts: NatsSinkParts;
  readonly #connection: NatsConnection;
  readonly #libraries: Libraries;
  /** Of the last message that was sent. */
  #sequence = 0;
  /** While blocks are taken back one after another. */
  #search: BackwardSearch | undefined;
  /** Of the first message that was there at the beginning. */
  #first = 0;
  /** Of the last message that the server has acknowledged. */
  #acknowledged = 0;
  #created = '';
  /** The id of the last message that was sent over this connection. */
  #sentId: string | undefined;
  /** By the sequence that each will have. */
  readonly #unanswered = new Map<number, Unanswered>();
  #unansweredBytes = 0;
  readonly #answers: StreamAnswers;
  #failure: Error | undefined;
  #noticed: () => void = () => {};
  #last: Mark | undefined;

  private constructor(parts: NatsSinkParts, connection: NatsConnection, libraries: Libraries) {
    this.#parts = parts;
    this.#connection = connection;
    this.#libraries = libraries;
    const listener = { answered: this.#answered.bind(this), failed: this.#fail.bind(this) };
    this.#answers = new StreamAnswers(connection, libraries.inbox, listener, parts.clock);
    // A message that its sender may not send has no answer.
    void hearErrors(connection, listener.failed);
    // Who waits is told, also when nothing is under way.
    void connection
      .closed()
      .then((error) => this.#fail(error ?? new Error('the connection to the NATS server is closed')));
  }

  /** Connects and finds the stream, which is made where there is none, and its last message. */
  static async open(parts: NatsSinkParts): Promise<NatsSession> {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const { createInbox } = await import('@nats-io/transport-node');
    const connection = await connectToNats(parts.connection, 'pharos');
    try {
      const refused = new Promise<never>((_resolve, reject) => void hearErrors(connection, reject));
      const manager = await Promise.race([jetstreamManager(connection, { timeout: ANSWER_MS }), refused]);
      const session = new NatsSession(parts, connection, {
        manager,
        encodeHeaders: await headerEncoder(),
        inbox: createInbox(),
      });
      await Promise.race([session.#begin(), refused]);
      return session;
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw withAdvice(error, parts.connection);
    }
  }

  /** The mark of the last message that the stream has taken. */
  get last(): Mark | undefined {
    return this.#last;
  }

  /** The last acknowledged message, or the stream's last one at the beginning. */
  get acknowledged(): Acknowledged {
    return { created: this.#created, sequence: this.#acknowledged, mark: this.#last };
  }

  /**
   * The mark of the last block with that id, looked for from the end back; the next call continues below, until a block
   * is published.
   */
  async find(block: string): Promise<Mark | undefined> {
    if (this.#search === undefined) {
      await this.accepted();
      this.#search = new BackwardSearch((sequence) => this.readMarkAtSequence(sequence), this.#first, this.#sequence);
    }
    return await this.#search.find(block);
  }

  /** Of the message with that number; undefined where it is no more, or is not a node's. */
  async readMarkAtSequence(sequence: number): Promise<Mark | undefined> {
    const message = await this.#libraries.manager.streams.getMessage(this.#parts.stream, { seq: sequence });
    return message === null ? undefined : readMark((name) => message.header.get(name));
  }

  /** Resolves once there is room for the next message. */
  async publish({ mark, kind, payload }: StreamMessage): Promise<void> {
    const { subject, form } = this.#parts;
    if (mark.event === 'block') this.#search = undefined;
    const expected = this.#sequence++;
    const place = kind === undefined ? `${subject}.${mark.event}` : `${subject}.operation.${kind}`;
    // Names the event and its place: a block that is undone and comes again is another message.
    const id = `${mark.event}-${mark.block}-${mark.message}-${mark.form}-${expected}`;
    const headers = this.#libraries.encodeHeaders([
      ...markHeaders(mark, form),
      ...expecting(id, expected, this.#sentId),
    ]);
    this.#sentId = id;
    this.#unanswered.set(expected + 1, { mark, bytes: payload.length });
    this.#unansweredBytes += payload.length;
    this.#connection.publish(place, payload, { headers, reply: this.#answers.replySubject(expected + 1) });
    await this.#until(
      () => this.#unanswered.size < MOST_UNANSWERED.messages && this.#unansweredBytes < MOST_UNANSWERED.bytes,
    );
  }

  /** Resolves once the stream has all messages. */
  async accepted(): Promise<void> {
    await this.#until(() => this.#unanswered.size === 0);
  }

  async close(): Promise<void> {
    this.#answers.close();
    await this.#connection.close().catch(() => undefined);
  }

  async #begin(): Promise<void> {
    const { stream } = this.#parts;
    requireLargeMessages('the server’s max_payload', this.#connection.info?.max_payload);
    const { state, config, created } = await this.#stream();
    requireLargeMessages('the stream’s max_msg_size', config.max_msg_size);
    requireKept(stream, config);
    [this.#first, this.#sequence] = [state.first_seq, state.last_seq];
    [this.#acknowledged, this.#created] = [state.last_seq, created];
    if (state.messages > 0) this.#last = this.#markOfLast(await this.#lastMessage(state.last_seq));
  }

  /**
   * Its operator may have removed the one with the last number, and some before. Looking by subject finds none then,
   * with some servers.
   */
  async #lastMessage(last: number): Promise<StoredMsg> {
    const { stream } = this.#parts;
    const lowest = Math.max(this.#first, last - MOST_MISSING);
    for (let sequence = last; sequence >= lowest; sequence--) {
      const message = await this.#libraries.manager.streams.getMessage(stream, { seq: sequence });
      if (message !== null) return message;
    }
    throw new UnusableStream(`the last messages of the stream ${stream}, ${lowest} to ${last}, were removed: empty it`);
  }

  #markOfLast(message: StoredMsg): Mark {
    const { stream, subject } = this.#parts;
    const which = `the last message of the stream ${stream}, ${message.seq}, is`;
    if (!message.subject.startsWith(`${subject}.`))
      throw new UnusableStream(
        `${which} of ${message.subject}, another chain or program: give this chain a stream of its own`,
      );
    const mark = readMark((name) => message.header.get(name));
    if (mark !== undefined) return mark;
    throw new UnusableStream(`${which} not one of a node: nobody else may write there; remove it, or empty the stream`);
  }

  async #stream(): Promise<StreamInfo> {
    const { manager } = this.#libraries;
    const { stream, subject } = this.#parts;
    const found = await manager.streams.info(stream).catch((error: unknown) => {
      if (errorCode(error) === MISSING_STREAM) return undefined;
      throw error;
    });
    const info = found ?? (await this.#make());
    if (!info.config.subjects.some((each) => covers(each, subject)))
      throw new UnusableStream(
        `the stream ${stream} takes other subjects than ${subject}.>: add that one, or name another stream`,
      );
    return info;
  }

  async #make(): Promise<StreamInfo> {
    const { manager } = this.#libraries;
    const { stream: name, subject } = this.#parts;
    const subjects = [`${subject}.>`];
    return await manager.streams.add({ name, subjects }).catch(async (error: unknown) => {
      if (errorCode(error) !== OVERLAPPING_SUBJECTS) throw error;
      const others = await manager.streams.names(subjects[0]).next();
      throw new UnusableStream(
        `another stream takes ${subject}.> already (${others.join(', ')}): name it by sink-nats-stream, or let it take other subjects`,
      );
    });
  }

  #answered(sequence: number, answer: StreamAnswer): void {
    if ('refused' in answer) return this.#fail(streamRefusal(answer, this.#parts.stream));
    if (answer.sequence !== sequence)
      return this.#fail(new Error(`the stream has taken message ${sequence} as ${answer.sequence}`));
    const { mark, bytes } = present(this.#unanswered.get(sequence), 'a message');
    this.#unanswered.delete(sequence);
    this.#unansweredBytes -= bytes;
    [this.#last, this.#acknowledged] = [mark, sequence];
    this.#noticed();
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

/**
 * The sequence alone would let in what arrives late after its predecessor was refused. For the first message of a
 * connection it is enough: what the stream has up to that number stays, and a server that has begun anew doesn't know
 * ids of long ago.
 */
function expecting(id: string, sequence: number, before: string | undefined): readonly (readonly [string, string])[] {
  return [
    ['Nats-Msg-Id', id],
    ['Nats-Expected-Last-Sequence', String(sequence)],
    ...(before === undefined ? [] : [['Nats-Expected-Last-Msg-Id', before] as const]),
  ];
}

const MISSING_STREAM = 10_059;
const OVERLAPPING_SUBJECTS = 10_065;

function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Requires a stream that keeps messages and acknowledges each: the next message follows from them. */
function requireKept(stream: string, { retention, no_ack }: StreamConfig): void {
  if (retention !== 'limits')
    throw new UnusableStream(
      `the stream ${stream} forgets messages that consumers have taken (retention: ${retention}), so it can't be told where it ends: make it anew with retention: limits`,
    );
  if (no_ack) throw new UnusableStream(`the stream ${stream} does not say what it has taken (no_ack): turn that off`);
}

/** Said at once, not when the first large block comes. Limits that are not there are left out, or below 0. */
function requireLargeMessages(name: string, bytes = -1): void {
  if (bytes < 0 || bytes >= MOST_MESSAGE_BYTES) return;
  throw new UnusableStream(`${name} is ${bytes} bytes, and messages have up to ${MOST_MESSAGE_BYTES}: raise it`);
}

/**
 * Headers as a message has them on the way: as an object of the library they cost more than the rest of a message. The
 * values are plain text.
 */
async function headerEncoder(): Promise<(headers: readonly (readonly [string, string])[]) => MsgHdrs> {
  const { MsgHdrsImpl } = await import('@nats-io/transport-node');
  class EncodedHeaders extends MsgHdrsImpl {
    text = '';

    override encode(): Uint8Array {
      return Buffer.from(this.text, 'latin1');
    }
  }
  // They are encoded before `publish` returns.
  const shared = new EncodedHeaders();
  return (headers) => {
    let text = 'NATS/1.0\r\n';
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
    shared.text = `${text}\r\n`;
    return shared;
  };
}
