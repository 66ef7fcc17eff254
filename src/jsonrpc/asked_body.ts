import type { FoundCall } from './find_call.ts';
import type { OpenAnswers } from './open_answers.ts';
import type { Subscriber } from './subscriber.ts';

/** A body that is being processed. */
export interface AskedBody<C> {
  readonly bytes: Buffer;
  /** The connection that can be sent notices later. */
  readonly subscriber: Subscriber | undefined;
  /** The id of the sender that is accountable for what is handed on (http/sender_ids.ts). */
  readonly senderIdOf: () => number;
  /** Fetched once, and only when something is handed on. */
  senderId: number | undefined;
  /** The version of the state when the first read of the body was looked up. */
  version: number | undefined;
  readonly startedMs: number;
  /** Whether the body is a single call. */
  readonly isWhole: boolean;
  /** What is needed to answer the calls that were handed on. */
  readonly answers: OpenAnswers<string, FoundCall<C>>;
  /** Total length of the immediate responses, in characters: a lower bound for their bytes. */
  length: number;
}
