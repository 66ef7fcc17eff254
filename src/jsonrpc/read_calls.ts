import type { Answer, AnswerWriter } from './answer_writer.ts';
import { charge, type BodyInProgress } from './body_in_progress.ts';
import { defaultDialect } from './envelope/dialect.ts';
import { allowPrivateKey } from './envelope/private_keys.ts';
import type { FoundCall } from './envelope/find_call.ts';
import type { Host, VersionedState } from './envelope/host.ts';
import type { Run } from './envelope/method.ts';
import type { MethodTimes } from './limits/method_times.ts';
import { ResponseCache, type CachedResponse } from './cache/response_cache.ts';
import { LONGEST_CACHED_PARAMS, ResultCache } from './cache/result_cache.ts';
import { ChunkedRead } from './chunked_read.ts';
import { ChunkedResult } from './chunked_result.ts';
import { givenParams, type WaitingCalls } from './waiting_calls.ts';
import { callWeight, weightOfAnswer } from './limits/weight.ts';

type ReadRun<C> = Extract<Run<C>, { kind: 'read' }>;

/** The parts that answer and count reads. */
export interface ReadParts<C> {
  readonly host: Host<C>;
  readonly idBytes: number;
  readonly times: MethodTimes;
  readonly writer: AnswerWriter;
  /** Keeps asynchronous reads until they are answered. */
  readonly waiting: WaitingCalls<C>;
}

/** For programs whose reads have no versioned source. */
const unversioned: VersionedState = {
  version: () => 0,
  consistentRead: (read) => read(),
  watch: () => {},
  isRepeatable: () => false,
};

/** Answers reads from the versioned state; results found before at the same version are not computed again. */
export class ReadCalls<C> {
  readonly #parts: ReadParts<C>;
  readonly #state: VersionedState;
  readonly #results = new ResultCache();
  readonly #responses: ResponseCache;
  #foundOut = 0;

  constructor(parts: ReadParts<C>) {
    this.#parts = parts;
    this.#state = parts.host.state ?? unversioned;
    this.#responses = new ResponseCache(parts.idBytes);
  }

  /** The number of results that were no repetitions. */
  get foundOut(): number {
    return this.#foundOut;
  }

  /** The cached response to a body, when it is of this version. */
  cached(body: Uint8Array): CachedResponse | undefined {
    const known = this.#responses.find(body);
    return known?.version === this.#state.version() ? known : undefined;
  }

  /** That response with the id of the body; its bytes change with the next call. */
  repeat(known: CachedResponse, body: Uint8Array): Uint8Array {
    known.counts.repeated++;
    return this.#responses.answer(known, body);
  }

  /** The response, the promise of it, or a read that is to be taken step by step and then ended by `end`. */
  answer(
    body: BodyInProgress<C>,
    call: FoundCall<C>,
    run: ReadRun<C>,
    startedMs: number,
  ): Answer | Promise<Answer> | ChunkedRead<C> {
    const { method, dialect } = call;
    const { times, writer } = this.#parts;
    const source = cacheKey(body.bytes, call);
    body.version ??= this.#state.version();
    const known = source === undefined ? undefined : this.#results.get(body.version, dialect, method, source);
    if (known === undefined) return this.#findOut(body, call, run, source, startedMs);
    times.repeated(method.name);
    charge(body, (method.weight.call ?? 1) - 1 + weightOfAnswer(known.length));
    this.#keepResponse(body.bytes, call, known, body.version);
    return call.id === undefined ? undefined : writer.success(known, call);
  }

  #findOut(
    body: BodyInProgress<C>,
    call: FoundCall<C>,
    { answer }: ReadRun<C>,
    source: string | undefined,
    startedMs: number,
  ): Answer | Promise<Answer> | ChunkedRead<C> {
    const { method, context } = call;
    const { host, writer, waiting } = this.#parts;
    if (method.needsPrivateKey) allowPrivateKey(host.privateKeyMethods, body.requestSource);
    this.#foundOut++;
    const version = this.#state.version();
    this.#state.watch();
    const given = givenParams(body.bytes, call, host);
    charge(body, callWeight(method.weight, given.json) - 1);
    const result = this.#state.consistentRead(() => answer(given, context));
    if (result instanceof Promise) return waiting.await(result, body, call, startedMs);
    if (result instanceof ChunkedResult) return new ChunkedRead(result, call, writer, startedMs, version);
    const text = writer.resultText(result, call);
    this.#keepResult(call, source, text, version);
    return this.#answered(body, call, writer.success(text, call), startedMs);
  }

  /** The response of a read whose steps have all been taken. */
  end(body: BodyInProgress<C>, read: ChunkedRead<C>): Answer {
    const { call, text, startedMs, version } = read;
    if (text !== undefined) this.#keepResult(call, cacheKey(body.bytes, call), text, version);
    return this.#answered(body, call, read.answer(), startedMs);
  }

  #answered(body: BodyInProgress<C>, { method }: FoundCall<C>, answer: Answer, startedMs: number): Answer {
    charge(body, weightOfAnswer(answer?.length ?? 0));
    this.#parts.times.answered(method.name, this.#parts.host.clock.elapsedMs() - startedMs, false);
    return answer;
  }

  #keepResult({ method, dialect }: FoundCall<C>, source: string | undefined, text: string, version: number): void {
    const mayRepeat = source !== undefined && this.#state.isRepeatable() && this.#state.version() === version;
    // Kept as bytes only on the second request: of a million accounts, most are requested once.
    if (mayRepeat && this.#parts.writer.fits(text)) this.#results.keep(version, dialect, method, source, text);
  }

  #keepResponse(
    body: Buffer,
    { method, dialect, id, idStart, head }: FoundCall<C>,
    result: string,
    version: number,
  ): void {
    if (id === undefined || idStart === undefined || dialect !== defaultDialect) return;
    this.#responses.keep(body, idStart, { result, version, counts: this.#parts.times.of(method.name), head });
  }
}

/**
 * The key under which a result may be kept; undefined when it may not be. Nothing that came with a private key is kept.
 */
function cacheKey<C>(body: Buffer, { method, params }: FoundCall<C>): string | undefined {
  if (method.needsPrivateKey) return undefined;
  if (params === undefined) return '';
  const { start, end } = params;
  return end - start > LONGEST_CACHED_PARAMS ? undefined : body.toString('latin1', start, end);
}
