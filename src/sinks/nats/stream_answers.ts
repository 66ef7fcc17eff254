import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../base/clock.ts';
import { readJson } from '../../codec/json_reader.ts';
import { ANSWER_MS } from './nats_link.ts';

/** A server's answer to a message: its number in the stream, or the reason why it was not taken. */
export type StreamAnswer = { readonly sequence: number } | { readonly refused: string; readonly code: number };

/** Hears what comes of messages; `tag` is that of the message. */
export interface AnswerListener {
  answered(tag: number, answer: StreamAnswer): void;
  /** No answer will come. */
  failed(error: Error): void;
}

const NOBODY_THERE = 503;

/**
 * The answers to all messages of a connection, which come under one subject: a request for each message, as libraries
 * have it, costs a timer, two errors that are never thrown, and several times the message.
 */
export class StreamAnswers {
  readonly #inbox: string;
  readonly #listener: AnswerListener;
  readonly #clock: Clock;
  /** Tags and when they were sent, oldest first. */
  readonly #sent = new Map<number, number>();
  #cancel: (() => void) | undefined;

  constructor(connection: NatsConnection, inbox: string, listener: AnswerListener, clock: Clock) {
    this.#inbox = `${inbox}.`;
    this.#listener = listener;
    this.#clock = clock;
    connection.subscribe(`${inbox}.*`, {
      callback: (error, message) => (error === null ? this.#take(message) : listener.failed(error)),
    });
  }

  /** The subject of the answer to this message. */
  replySubject(tag: number): string {
    this.#sent.set(tag, this.#clock.elapsedMs());
    this.#cancel ??= this.#clock.after(ANSWER_MS, () => this.#look(), false);
    return `${this.#inbox}${tag}`;
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sent.clear();
  }

  #take(message: Msg): void {
    const tag = Number(message.subject.slice(this.#inbox.length));
    if (!this.#sent.delete(tag)) return;
    if (message.headers?.code === NOBODY_THERE)
      return this.#listener.failed(
        new Error('nobody takes messages of that subject: the stream was deleted, or JetStream has ended'),
      );
    this.#listener.answered(tag, parseAnswer(message.data));
  }

  /** One timer for all: the oldest waits longest. */
  #look(): void {
    this.#cancel = undefined;
    const [oldestMs] = this.#sent.values();
    if (oldestMs === undefined) return;
    const leftMs = oldestMs + ANSWER_MS - this.#clock.elapsedMs();
    if (leftMs <= 0) return this.#listener.failed(new Error(`no answer to a message for ${ANSWER_MS / 1000} s`));
    this.#cancel = this.#clock.after(leftMs, () => this.#look(), false);
  }
}

function parseAnswer(bytes: Uint8Array): StreamAnswer {
  const { seq, error } = toMembers(readJson(bytes));
  if (typeof seq === 'number' && error === undefined) return { sequence: seq };
  const { description, err_code: code } = toMembers(error);
  return {
    refused: typeof description === 'string' ? description : 'it says something else',
    code: typeof code === 'number' ? code : 0,
  };
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
