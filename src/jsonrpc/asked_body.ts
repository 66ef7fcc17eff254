import type { FoundCall } from './find_call.ts';
import type { OpenAnswers } from './open_answers.ts';
import type { Subscriber } from './subscriber.ts';

/** A body that is being answered. */
export interface AskedBody<C> {
  readonly bytes: Buffer;
  /** Whoever can be sent notices later. */
  readonly subscriber: Subscriber | undefined;
  /** Who answers for what is handed on (http/sender_ids.ts). */
  readonly senderIdOf: () => number;
  /** Asked once, and only when something is handed on. */
  senderId: number | undefined;
  /** Of the state, when the first read of the body was looked up. */
  version: number | undefined;
  readonly startedMs: number;
  /** Whether it is nothing but one call. */
  readonly isWhole: boolean;
  /** Of calls that were handed on, what is needed to answer them. */
  readonly answers: OpenAnswers<string, FoundCall<C>>;
  /** Of the answers that were given at once, in characters: there are as many bytes at least. */
  length: number;
}
