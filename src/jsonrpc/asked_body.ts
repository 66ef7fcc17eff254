import type { Asker } from './asker.ts';
import type { Allowance } from './call_rates.ts';
import type { FoundCall } from './find_call.ts';
import type { OpenAnswers } from './open_answers.ts';
import type { SlicedRead } from './sliced_read.ts';

/** A body that is being processed. */
export interface AskedBody<C> {
  readonly asker: Asker;
  readonly bytes: Buffer;
  /** Fetched once, and only when it is needed. */
  senderId: number | undefined;
  /** What the address may still ask for; undefined without a limit. */
  readonly allowance: Allowance | undefined;
  /** The version of the state when the first read of the turn was looked up. */
  version: number | undefined;
  readonly startedMs: number;
  /** Whether the body is a single call. */
  readonly isWhole: boolean;
  /** What is needed to answer the calls that were handed on. */
  readonly answers: OpenAnswers<string | Buffer, FoundCall<C>>;
  /** The place of the next element. */
  next: number;
  /** The read that the last turn did not finish. */
  reading: SlicedRead<C> | undefined;
  /** The weight of the calls so far. */
  weight: number;
  /** Total length of the immediate responses, in characters: a lower bound for their bytes. */
  length: number;
}

/** Counts what a call weighs beyond the 1 that every call is taken for. */
export function charge(asked: Pick<AskedBody<never>, 'allowance' | 'weight'>, weight: number): void {
  asked.weight += weight;
  if (asked.allowance !== undefined) asked.allowance.left -= weight;
}

/** The sender of a body. Fetched while its first turn lasts: behind it, the server may not know the connection any more. */
export function senderIdOf<C>(asked: AskedBody<C>): number {
  return (asked.senderId ??= asked.asker.senderIdOf());
}
