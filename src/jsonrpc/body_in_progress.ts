import type { RequestSource } from './limits/request_source.ts';
import type { FoundCall } from './envelope/find_call.ts';
import { OpenAnswers } from './open_answers.ts';
import type { ChunkedRead } from './chunked_read.ts';
import type { ClientTally } from './limits/calls_by_client.ts';
import type { TokenBucket } from './limits/rate_limiter.ts';

/** A body that is being processed. */
export interface BodyInProgress<C> {
  readonly requestSource: RequestSource;
  readonly bytes: Buffer;
  /** Fetched once, and only when it is needed. */
  senderId: number | undefined;
  /** The tokens left to the address; undefined without a limit. */
  readonly bucket: TokenBucket | undefined;
  /** The counts of its client, for the operator. */
  readonly tally: ClientTally;
  /** The version of the state when the first read of the time slice was looked up. */
  version: number | undefined;
  readonly startedMs: number;
  /** True if its calls may wait for a head: not those that have. */
  readonly mayWait: boolean;
  /** True if the body is a single call. */
  readonly isWhole: boolean;
  /** The answers of calls that other threads or later turns give. */
  readonly answers: OpenAnswers<string | Buffer, FoundCall<C>>;
  /** The place of the next element. */
  next: number;
  /** The read that the last time slice did not finish. */
  reading: ChunkedRead<C> | undefined;
  /** The weight of the calls so far. */
  weight: number;
  /** Total length of the immediate responses, in characters: a lower bound for their bytes. */
  length: number;
}

/** A body of which no element has been processed yet. */
export function newBody<C>(
  bytes: Buffer,
  requestSource: RequestSource,
  { bucket, tally }: Pick<BodyInProgress<C>, 'bucket' | 'tally'>,
  { isWhole, mayWait }: Pick<BodyInProgress<C>, 'isWhole' | 'mayWait'>,
  startedMs: number,
): BodyInProgress<C> {
  return {
    bytes,
    requestSource,
    senderId: undefined,
    bucket,
    tally,
    version: undefined,
    startedMs,
    mayWait,
    isWhole,
    answers: new OpenAnswers(),
    next: 0,
    reading: undefined,
    weight: 0,
    length: 0,
  };
}

/** Counts what a call weighs beyond the 1 that every call is taken for. */
export function charge(body: Pick<BodyInProgress<never>, 'bucket' | 'tally' | 'weight'>, weight: number): void {
  body.weight += weight;
  body.tally.weight += weight;
  if (body.bucket !== undefined) body.bucket.tokens -= weight;
}

/**
 * The sender of a body. Fetched during its first time slice: after it, the server may no longer know the connection.
 */
export function getSenderId<C>(body: BodyInProgress<C>): number {
  return (body.senderId ??= body.requestSource.senderIdOf());
}
