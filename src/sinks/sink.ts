import type { BlockId } from '../values/hash.ts';

/** The kinds of events of a stream. */
export type EventKind = (typeof eventKinds)[number];

export const eventKinds = ['block', 'operation', 'undo', 'irreversible'] as const;

/** A message's place in the stream: the last one alone tells a writer the next place. */
export interface Mark {
  readonly event: EventKind;
  /** The block that it is about. */
  readonly block: BlockId;
  /** The block before that one. */
  readonly previous: BlockId;
  /** The last block of the stream behind this message. */
  readonly head: BlockId;
  /** Which of the messages about its block it is, from 0. */
  readonly message: number;
  /** True when it is the last of them. */
  readonly isEnd: boolean;
  /** The last irreversible block that the stream has told of. */
  readonly irreversible: number;
  /** The form in which blocks are cut into messages; another one can't go on in the middle of a block. */
  readonly form: string;
}

/** A message to be put into a stream. */
export interface StreamMessage {
  readonly mark: Mark;
  /** Of the operation that it is about alone. */
  readonly kind?: string;
  readonly payload: Uint8Array;
}

/**
 * The destination of the chain's events: a stream that keeps their order. Any call may throw, after which nothing is
 * known but what `position` says then: messages that were not accepted may have arrived nevertheless.
 */
export interface Sink {
  /** Connects if need be. The mark of the last message; undefined in an empty stream. */
  position(): Promise<Mark | undefined>;
  /**
   * The mark of the last block or operation with that id among all that was published; undefined where the stream has
   * it no more.
   */
  find(block: BlockId): Promise<Mark | undefined>;
  /** Puts a message behind all others. Resolves once there is room for the next one. */
  publish(message: StreamMessage): Promise<void>;
  /** Resolves once the stream has all messages. */
  accepted(): Promise<void>;
  /** The mark of the last message that the stream has accepted, as far as is known. */
  readonly last: Mark | undefined;
  /** Messages that the stream had accepted and that `position` has not found again. They count once. */
  readonly lostMessages: number;
  close(): Promise<void>;
}

/** A stream that can't be gone on with until its operator does something. The message says what. */
export class UnusableStream extends Error {
  override readonly name: string = 'UnusableStream';
}

/** The server does not let its client in, or the client does not trust it. */
export class RefusedConnection extends UnusableStream {
  override readonly name = 'RefusedConnection';
}

/**
 * The stream's last message is another one than was thought: somebody else writes there, too, or a message came late.
 * Nothing is wrong with that.
 */
export class StreamMoved extends Error {
  override readonly name = 'StreamMoved';
}
