import type { Answer, AnswerWriter } from './answer_writer.ts';
import type { AskedBody } from './asked_body.ts';
import { defaultDialect } from './dialect.ts';
import { refuseCall } from './errors.ts';
import type { FoundCall } from './find_call.ts';
import type { Host, VersionedState } from './host.ts';
import type { Run } from './method.ts';
import type { MethodTimes } from './method_times.ts';
import { ResponseCache, type RepeatedCall } from './response_cache.ts';
import { LONGEST_CACHED_PARAMS, ResultCache } from './result_cache.ts';
import { givenParams, type WaitingCalls } from './waiting_calls.ts';

type ReadRun<C> = Extract<Run<C>, { kind: 'read' }>;

/** What reads are answered and counted with. */
export interface ReadParts<C> {
  readonly host: Host<C>;
  readonly idBytes: number;
  readonly times: MethodTimes;
  readonly writer: AnswerWriter;
  /** Where an asynchronous read waits. */
  readonly waiting: WaitingCalls<C>;
}

/** For programs whose reads have no versioned source. */
const unversioned: VersionedState = { version: () => 0, consistentRead: (read) => read(), watch: () => {}, isRepeatable: () => false };

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

  /** How many results were not repetitions. */
  get foundOut(): number {
    return this.#foundOut;
  }

  /** The call that a body repeats, when it was answered at this version. */
  known(body: Uint8Array): RepeatedCall | undefined {
    const known = this.#responses.find(body);
    return known?.version === this.#state.version() ? known : undefined;
  }

  /** The response to that call with the id of the body; its bytes change with the next call. */
  again(known: RepeatedCall, body: Uint8Array): Uint8Array {
    known.counts.repeated++;
    return this.#responses.answer(known, body);
  }

  answer(asked: AskedBody<C>, call: FoundCall<C>, run: ReadRun<C>, startedMs: number): Answer | Promise<Answer> {
    const { method, dialect } = call;
    const { times, writer } = this.#parts;
    const source = cacheKeyOf(asked.bytes, call);
    asked.version ??= this.#state.version();
    const known = source === undefined ? undefined : this.#results.get(asked.version, dialect, method, source);
    if (known === undefined) return this.#findOut(asked, call, run, source, startedMs);
    times.repeated(method.name);
    this.#keepResponse(asked.bytes, call, known, asked.version);
    return call.id === undefined ? undefined : writer.success(known, call);
  }

  #findOut(
    { bytes }: AskedBody<C>,
    call: FoundCall<C>,
    { answer }: ReadRun<C>,
    source: string | undefined,
    startedMs: number,
  ): Answer | Promise<Answer> {
    const { method, context, dialect } = call;
    const { host, times, writer, waiting } = this.#parts;
    if (method.needsPrivateKey && !host.privateKeysAllowed) refuseCall.private_keys_not_allowed();
    this.#foundOut++;
    const version = this.#state.version();
    this.#state.watch();
    const given = givenParams(bytes, call);
    const result = this.#state.consistentRead(() => answer(given, context));
    if (result instanceof Promise) return waiting.await(result, call, startedMs);
    const text = writer.textOf(result, call);
    const mayRepeat = source !== undefined && this.#state.isRepeatable() && this.#state.version() === version;
    // Kept as bytes only on the second request: of a million accounts, most are requested once.
    if (mayRepeat && writer.fits(text)) this.#results.keep(version, dialect, method, source, text);
    times.answered(method.name, host.clock.elapsedMs() - startedMs, false);
    return writer.success(text, call);
  }

  #keepResponse(body: Buffer, { method, dialect, id, idStart }: FoundCall<C>, result: string, version: number): void {
    if (id === undefined || idStart === undefined || dialect !== defaultDialect) return;
    this.#responses.keep(body, idStart, { result, version, counts: this.#parts.times.of(method.name) });
  }
}

/** The key under which a result may be kept; undefined when it may not be. Nothing that came with a private key is kept. */
function cacheKeyOf<C>(body: Buffer, { method, params }: FoundCall<C>): string | undefined {
  if (method.needsPrivateKey) return undefined;
  if (params === undefined) return '';
  const { start, end } = params;
  return end - start > LONGEST_CACHED_PARAMS ? undefined : body.toString('latin1', start, end);
}
