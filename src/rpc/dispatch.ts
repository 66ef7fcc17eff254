import type { Clock } from '../base/clock.ts';
import { Refusal, refusalBy } from '../base/refusal.ts';
import { readScanned } from '../codec/json_reader.ts';
import type { ScannedValue } from '../codec/json_scanner.ts';
import { writeJson } from '../codec/json_writer.ts';
import { speaksAsOriginal, type Notation } from '../codec/notation.ts';
import { AnswerCache, LONGEST_CACHED_PARAMS } from './answer_cache.ts';
import { CallRates } from './call_rates.ts';
import { withDeadline } from './deadline.ts';
import { defaultDialect, dialectOf, legacyDialect, notationOf } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { EnvelopeScanner, requestFaults } from './envelope.ts';
import type { BadRequest, Frame, Request } from './envelope.ts';
import {
  badCall,
  errorCodes,
  internalError,
  invalidRequest,
  methodNotFound,
  noLegacyMethod,
  parseError,
  rateExceeded,
  refuseCall,
  refused,
  tooLarge,
} from './errors.ts';
import type { RpcError } from './errors.ts';
import type { Limits } from './limits.ts';
import { WrittenJson } from './method.ts';
import type { GivenParams, Method, Methods, Run } from './method.ts';
import { MethodTimes } from './method_times.ts';
import { nearMethod } from './near_method.ts';
import { OpenAnswers } from './open_answers.ts';
import { RepeatableServices } from './repeatable_services.ts';
import { RepeatedCalls } from './repeated_calls.ts';
import type { BroadcastOutcome, Call, Services, Subscriber } from './services.ts';

/** An answer's text; undefined when nothing is to be answered (a notification). */
export type Answer = string | undefined;

/** A call that was understood: what to run, with what, and how to speak. */
interface Prepared {
  readonly method: Method;
  readonly params: ScannedValue | undefined;
  readonly dialect: Dialect;
  readonly id: string | undefined;
  /** Where the source of the id starts in a body that is nothing but this call; undefined in batches. */
  readonly idStart: number | undefined;
}

/** A body that is being answered. */
interface Asked {
  readonly body: Buffer;
  readonly subscriber: Subscriber | undefined;
  readonly sourceOf: () => number;
  /** Asked once, and for broadcasts only. */
  source: number | undefined;
  /** Of the committed state, when the first read of the body was looked up. */
  version: number | undefined;
  readonly startedMs: number;
  /** Whether it is nothing but one call. */
  readonly isWhole: boolean;
  /** Of broadcasts that wait, what is needed to answer them. */
  readonly answers: OpenAnswers<string, Prepared>;
  /** Of the answers that were given at once, in characters: there are as many bytes at least. */
  length: number;
}

/** How long a batch is answered before others have their turn: what their callers don't notice. */
const TURN_MS = 10;
/** Batches that wait for their next turn, each with a body of the largest size: room enough for whoever means well. */
const LONG_BATCHES = 64;

/** Calls that come through no door have no source of their own. */
const nobody = (): number => 0;

/** UTF-8 bytes for one unit of a JavaScript string: most answers need not be measured. */
const widestCharacterBytes = 3;

export interface DispatcherOptions {
  readonly methods: Methods;
  readonly services: Services;
  readonly limits: Limits;
  /** The group whose methods answer to their bare names, in the legacy dialect. */
  readonly bareNamesOf: string;
  /** Where answers are counted; several dispatchers may share it. */
  readonly times?: MethodTimes;
}

/** From the bytes of a body to the text of its answer. Answers at once what can be answered at once. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #scanner: EnvelopeScanner;
  /** What methods are handed, by dialect and group; the same for every call. */
  readonly #calls = new Map<Dialect, Map<string, Call>>([
    [defaultDialect, new Map()],
    [legacyDialect, new Map()],
  ]);
  readonly #cache = new AnswerCache();
  readonly #repeated: RepeatedCalls;
  readonly #times: MethodTimes;
  readonly #rates: CallRates;
  readonly #services: RepeatableServices;
  #inFlight = 0;
  /** Batches of more than one turn take them one behind the other, so that only one of them holds half an answer. */
  #longBatches = Promise.resolve();
  #longCount = 0;
  /** Reads that were no repetition. */
  #foundOut = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#scanner = new EnvelopeScanner(options.limits);
    this.#repeated = new RepeatedCalls(options.limits.idBytes);
    this.#services = new RepeatableServices(options.services);
    this.#rates = new CallRates(options.limits.callsPerSecond, options.services.clock);
    this.#times = options.times ?? new MethodTimes();
  }

  /**
   * The answer to a body that was answered before in the same state, with the id of this one in it; undefined when it has to be
   * dispatched. The bytes change with the next call.
   */
  dispatchAgain(body: Uint8Array, address = ''): Uint8Array | undefined {
    const known = this.#repeated.find(body);
    if (known === undefined || known.version !== this.#options.services.rows.version() || !this.#rates.take(address, 1)) return undefined;
    known.counts.repeated++;
    return this.#repeated.answer(known, body);
  }

  /**
   * The body may be reused as soon as this returns; it neither throws nor rejects. `subscriber` is whoever can be sent
   * notices later, `address` who is counted, `sourceOf` who answers for wrong signatures (http/sources.ts).
   */
  dispatch(body: Buffer, subscriber?: Subscriber, address = '', sourceOf = nobody): Answer | Promise<Answer> {
    try {
      const frame = this.#scanner.scan(body);
      if (!this.#rates.take(address, frame.elements.length)) return this.#refuseRate(frame.elements);
      return this.#dispatchFrame(body, frame, subscriber, sourceOf);
    } catch (error) {
      return this.#failBody(error);
    }
  }

  #failBody(error: unknown): Answer {
    this.#times.badRequests++;
    if (error instanceof Refusal) return defaultDialect.failure(parseError(error), 'null');
    this.#options.services.report(error, 'a body');
    return defaultDialect.failure(internalError, 'null');
  }

  #refuseRate([only, ...others]: readonly (Request | BadRequest)[]): Answer {
    const { callsPerSecond } = this.#options.limits;
    return defaultDialect.failure(
      rateExceeded(callsPerSecond, this.#asOriginal(defaultDialect)),
      others.length === 0 ? (only?.id ?? 'null') : 'null',
    );
  }

  #dispatchFrame(
    body: Buffer,
    { batch, elements }: Frame,
    subscriber: Subscriber | undefined,
    sourceOf: () => number,
  ): Answer | Promise<Answer> {
    const answers = new OpenAnswers<string, Prepared>();
    const startedMs = performance.now();
    const asked: Asked = {
      body,
      subscriber,
      sourceOf,
      source: undefined,
      version: undefined,
      startedMs,
      isWhole: !batch,
      answers,
      length: 0,
    };
    const next = this.#takeTurn(asked, elements, 0, startedMs);
    if (next === elements.length) this.#watchTime(asked);
    else this.#takeTurnsLater({ ...asked, body: Buffer.from(body) }, elements, next);
    const put = (): Answer => (batch ? this.#joinBatch(answers.texts) : answers.texts[0]);
    return answers.isComplete ? put() : answers.whole().then(put);
  }

  /** Dispatches elements, one at least, until it is somebody else's turn; answers which is the next. */
  #takeTurn(asked: Asked, elements: Frame['elements'], first: number, startedMs: number): number {
    const foundBefore = this.#foundOut;
    let next = first;
    do {
      const place = next++;
      const element = elements[place];
      if (element === undefined || this.#isInVain(asked, element)) continue;
      this.#dispatchElement(asked, place, element);
      asked.length += asked.answers.texts[place]?.length ?? 0;
      // What is only handed on or given again takes no time worth asking for.
    } while (next < elements.length && (this.#foundOut === foundBefore || performance.now() - startedMs < TURN_MS));
    return next;
  }

  /** A read whose answer would not be sent, because all together are too large already. */
  #isInVain({ length }: Asked, element: Request | BadRequest): boolean {
    if (length <= this.#options.limits.answerBytes || element.kind === 'bad') return false;
    return this.#methodNamed(element.method, dialectOf(element.method))?.run.thread === 'read';
  }

  /** The rest of a batch: turn by turn, when the batches before it are done. */
  #takeTurnsLater(asked: Asked, elements: Frame['elements'], first: number): void {
    const { answers } = asked;
    if (this.#longCount >= LONG_BATCHES) return this.#refuseRest(asked, elements, first);
    let next = first;
    const takeTurns = async (): Promise<void> => {
      while (next < elements.length) {
        await othersTurn(this.#options.services.clock);
        asked.version = undefined;
        next = this.#takeTurn(asked, elements, next, performance.now());
      }
    };
    // A place of its own is open as long as there are turns to come.
    const lastPlace = elements.length;
    answers.open(lastPlace, undefined);
    this.#longCount++;
    this.#longBatches = this.#longBatches
      .then(takeTurns)
      .catch((error: unknown) => void (answers.texts[next] = this.#failBody(error)))
      .then(() => {
        this.#longCount--;
        this.#watchTime(asked);
        answers.close(lastPlace, undefined);
      });
  }

  #refuseRest(asked: Asked, elements: Frame['elements'], first: number): void {
    const busy = refusalBy(() => refuseCall.too_busy({ limit: LONG_BATCHES }));
    for (const [offset, element] of elements.slice(first).entries()) {
      const prepared = element.kind === 'bad' ? this.#answerBad(element) : this.#prepare(asked, element);
      const isUnderstood = typeof prepared === 'object';
      asked.answers.texts[first + offset] = isUnderstood ? this.#fail(busy, prepared, errorCodes.refusedByMethod) : prepared;
    }
    this.#watchTime(asked);
  }

  /** One timer for all that a body broadcasts. */
  #watchTime(asked: Asked): void {
    const { limits, services } = this.#options;
    const { answers } = asked;
    if (answers.hasWaiting) answers.expire(limits.waitDeadlineMs, services.clock, (late, error) => this.#takeFailure(asked, late, error));
  }

  /** One array, within the limit on answers as a whole. */
  #joinBatch(answers: readonly Answer[]): Answer {
    const texts = answers.filter((answer) => answer !== undefined);
    if (texts.length === 0) return undefined;
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const { answerBytes } = this.#options.limits;
    return length * widestCharacterBytes <= answerBytes || Buffer.byteLength(texts.join()) <= answerBytes
      ? `[${texts.join(',')}]`
      : defaultDialect.failure(tooLarge(answerBytes, this.#asOriginal(defaultDialect)), 'null');
  }

  #dispatchElement(asked: Asked, place: number, element: Request | BadRequest): void {
    const { answers } = asked;
    const prepared = element.kind === 'bad' ? this.#answerBad(element) : this.#prepare(asked, element);
    if (typeof prepared === 'string' || prepared === undefined) return void (answers.texts[place] = prepared);
    const { method } = prepared;
    const startedMs = method.run.thread === 'broadcast' ? asked.startedMs : performance.now();
    try {
      if (method.run.thread === 'broadcast') return this.#broadcast(asked, place, prepared);
      const answer = this.#find(asked, prepared, method.run, startedMs);
      if (!(answer instanceof Promise)) return void (answers.texts[place] = answer);
      answers.open(place, undefined);
      void answer.then((text) => answers.close(place, text));
    } catch (error) {
      this.#times.answered(method.name, performance.now() - startedMs, true);
      answers.texts[place] = this.#fail(error, prepared, errorCodes.refusedByMethod);
    }
  }

  #answerBad({ fault, id }: BadRequest): Answer {
    this.#times.badRequests++;
    return defaultDialect.failure(invalidRequest(fault, this.#asOriginal(defaultDialect)), id);
  }

  /** Finds the method, or answers why there is none. */
  #prepare({ body, isWhole }: Asked, request: Request): Prepared | Answer {
    const dialect = dialectOf(request.method);
    const id = request.id === undefined ? undefined : dialect.id(request.id);
    const refuse = (error: RpcError): Answer =>
      id === undefined && dialect.notifications ? undefined : dialect.failure(error, id ?? 'null');
    const asOriginal = this.#asOriginal(dialect);
    if (dialect.versioned && !request.versioned) return dialect.failure(invalidRequest(requestFaults.noVersion, asOriginal), id ?? 'null');
    if (dialect === legacyDialect && id === undefined) return dialect.failure(invalidRequest(requestFaults.noId, asOriginal), '1');
    let { method: name, params } = request;
    if (name === 'call') {
      const parts = params === undefined ? undefined : this.#scanner.readCall(body, params);
      if (parts === undefined) return refuse(badCall(asOriginal));
      ({ method: name, params } = parts);
    }
    const method = this.#methodNamed(name, dialect);
    if (method !== undefined) return { method, params, dialect, id, idStart: isWhole ? request.idStart : undefined };
    this.#times.unknownMethods++;
    const near = nearMethod(this.#options, name);
    return refuse(dialect === legacyDialect ? noLegacyMethod(name, near) : methodNotFound(name, near, asOriginal));
  }

  /** Whether whoever asks so is told in the words of the original. */
  #asOriginal({ name: dialect }: Dialect): boolean {
    return speaksAsOriginal({ ...this.#options.services.words, dialect });
  }

  #methodNamed(name: string, dialect: Dialect): Method | undefined {
    const { methods, bareNamesOf } = this.#options;
    return dialect === legacyDialect ? (methods.get(name) ?? methods.get(`${bareNamesOf}.${name}`)) : methods.get(name);
  }

  /** Answers from the committed state; what was answered before in the same state is not found out again. */
  #read(asked: Asked, prepared: Prepared, answer: ReadAnswer, startedMs: number): Answer | Promise<Answer> {
    const { method, params, dialect, id } = prepared;
    const { body } = asked;
    const source = cacheKeyOf(body, prepared);
    const call = this.#callFor(method.group, dialect);
    asked.version ??= call.rows.version();
    const known = source === undefined ? undefined : this.#cache.get(asked.version, dialect, method, source);
    if (known !== undefined) {
      this.#times.repeated(method.name);
      this.#keepWhole(body, prepared, known, asked.version);
      return id === undefined ? undefined : dialect.success(known, id);
    }
    if (method.needsPrivateKey && !call.privateKeysAllowed) refuseCall.private_keys_not_allowed();
    this.#foundOut++;
    const version = call.rows.version();
    this.#services.watch();
    const given = givenParams(body, params, dialect);
    const result = call.rows.consistentRead(() => answer(given, call));
    if (result instanceof Promise) return this.#await(result, prepared, startedMs);
    const text = this.#textOf(result, prepared);
    const mayRepeat = source !== undefined && this.#services.isRepeatable && call.rows.version() === version;
    // As bytes it is kept when it is asked for again: of a million accounts, most are asked for once.
    if (mayRepeat && this.#fits(text)) this.#cache.keep(version, dialect, method, source, text);
    this.#times.answered(method.name, performance.now() - startedMs, false);
    return this.#succeed(text, prepared);
  }

  #keepWhole(body: Buffer, { method, dialect, id, idStart }: Prepared, result: string, version: number): void {
    if (id === undefined || idStart === undefined || dialect !== defaultDialect) return;
    this.#repeated.keep(body, idStart, { result, version, counts: this.#times.of(method.name) });
  }

  /** The answer to a call that is no broadcast. */
  #find(asked: Asked, prepared: Prepared, run: Exclude<Run, { thread: 'broadcast' }>, startedMs: number): Answer | Promise<Answer> {
    if (run.thread === 'read') return this.#read(asked, prepared, run.answer, startedMs);
    const { body, subscriber } = asked;
    const { method, params, dialect } = prepared;
    const shared = this.#callFor(method.group, dialect);
    const call = subscriber === undefined ? shared : { ...shared, subscriber };
    this.#allowWaiting(method, call);
    return this.#await(run.answer(givenParams(body, params, dialect), call), prepared, startedMs);
  }

  #countInFlight(more: 1 | -1): void {
    this.#inFlight += more;
    this.#times.inFlight += more;
  }

  #allowWaiting({ needsPrivateKey }: Method, call: Call): void {
    if (needsPrivateKey && !call.privateKeysAllowed) refuseCall.private_keys_not_allowed();
    const { requestsInFlight: limit } = this.#options.limits;
    if (this.#inFlight >= limit) refuseCall.too_busy({ limit });
  }

  /** Sends the params to the verifiers as they are. */
  #broadcast(asked: Asked, place: number, prepared: Prepared): void {
    const { method, params, dialect } = prepared;
    const call = this.#callFor(method.group, dialect);
    this.#allowWaiting(method, call);
    const text = asked.body.subarray(params?.start ?? 0, params?.end ?? 0);
    asked.source ??= asked.sourceOf();
    const outcome = call.broadcast({ method: method.name, params: text, notation: call.notation, source: asked.source });
    asked.answers.open(place, prepared);
    this.#countInFlight(1);
    outcome.then(
      (given) => this.#takeOutcome(asked, place, given, call),
      (error: unknown) => {
        const expired = expiredOutcome(error, method, call);
        if (expired === undefined) this.#takeFailure(asked, place, error);
        else this.#takeOutcome(asked, place, expired, call);
      },
    );
  }

  #takeOutcome(asked: Asked, place: number, outcome: BroadcastOutcome, call: Call): void {
    const prepared = asked.answers.take(place);
    if (prepared?.method.run.thread !== 'broadcast') return;
    try {
      const text = this.#textOf(prepared.method.run.answer(outcome, call), prepared);
      this.#countInFlight(-1);
      this.#times.answered(prepared.method.name, performance.now() - asked.startedMs, false);
      asked.answers.close(place, this.#succeed(text, prepared));
    } catch (error) {
      this.#closeFailed(asked, place, prepared, error);
    }
  }

  #takeFailure(asked: Asked, place: number, error: unknown): void {
    const prepared = asked.answers.take(place);
    if (prepared !== undefined) this.#closeFailed(asked, place, prepared, error);
  }

  #closeFailed(asked: Asked, place: number, prepared: Prepared, error: unknown): void {
    this.#countInFlight(-1);
    this.#times.answered(prepared.method.name, performance.now() - asked.startedMs, true);
    asked.answers.close(place, this.#fail(error, prepared, codeOf(error, prepared.method)));
  }

  async #await(answer: Promise<unknown>, prepared: Prepared, startedMs: number): Promise<Answer> {
    const { limits, services } = this.#options;
    const { name } = prepared.method;
    this.#countInFlight(1);
    try {
      const result = await withDeadline(answer, limits.callDeadlineMs, services.clock);
      const text = this.#textOf(result, prepared);
      this.#times.answered(name, performance.now() - startedMs, false);
      return this.#succeed(text, prepared);
    } catch (error) {
      this.#times.answered(name, performance.now() - startedMs, true);
      return this.#fail(error, prepared, codeOf(error, prepared.method));
    } finally {
      this.#countInFlight(-1);
    }
  }

  #textOf(result: unknown, { method, dialect }: Prepared): string {
    return result instanceof WrittenJson ? result.text : writeJson(dialect.shown(result, method.result));
  }

  #succeed(text: string, { dialect, id }: Prepared): Answer {
    if (id === undefined) return undefined;
    return this.#fits(text)
      ? dialect.success(text, id)
      : dialect.failure(tooLarge(this.#options.limits.answerBytes, this.#asOriginal(dialect)), id);
  }

  #fits(text: string): boolean {
    const { answerBytes } = this.#options.limits;
    return text.length * widestCharacterBytes <= answerBytes || Buffer.byteLength(text) <= answerBytes;
  }

  /** An asker's mistake is explained to him; ours is reported to the operator. */
  #fail(error: unknown, { method, dialect, id }: Prepared, code: number): Answer {
    if (!(error instanceof Refusal)) this.#options.services.report(error, method.name);
    if (id === undefined) return undefined;
    return dialect.failure(error instanceof Refusal ? refused(error, code, this.#asOriginal(dialect)) : internalError, id);
  }

  #callFor(group: string, dialect: Dialect): Call {
    const known = this.#calls.get(dialect)?.get(group);
    if (known !== undefined) return known;
    const notation: Notation = notationOf(this.#options.services.words, group, dialect);
    const call: Call = { ...this.#services.services, notation, subscriber: undefined };
    this.#calls.get(dialect)?.set(group, call);
    return call;
  }
}

/** Resolves when what has come in meanwhile has been looked at. */
function othersTurn(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}

/** What became of a transaction that was refused because it came too late, where its method answers that. */
function expiredOutcome(error: unknown, { run }: Method, { notation }: Call): BroadcastOutcome | undefined {
  if (!(error instanceof Refusal) || error.code !== 'transaction_expired' || run.thread !== 'broadcast') return undefined;
  if (!run.answersExpired || speaksAsOriginal(notation)) return undefined;
  return { transactionId: String(error.details['id']), blockNumber: -1, transactionNumber: -1, expired: true, transaction: '' };
}

/** Who refused: the method itself, in its own words, or the chain that it asked. */
function codeOf(error: unknown, { refuses, run }: Method): number {
  const isOwn =
    run.thread === 'read' ||
    (error instanceof Refusal && (Object.hasOwn(refuses, error.code) || Object.hasOwn(refuseCall.texts, error.code)));
  return isOwn ? errorCodes.refusedByMethod : errorCodes.refusedByChain;
}

type ReadAnswer = Extract<Run, { thread: 'read' }>['answer'];

/** Under which an answer may be kept; undefined when it may not. Nothing that came with a private key is kept. */
function cacheKeyOf(body: Buffer, { method, params }: Prepared): string | undefined {
  if (method.needsPrivateKey) return undefined;
  if (params === undefined) return '';
  const { start, end } = params;
  return end - start > LONGEST_CACHED_PARAMS ? undefined : body.toString('latin1', start, end);
}

function givenParams(body: Buffer, params: ScannedValue | undefined, dialect: Dialect): GivenParams {
  return { json: params === undefined ? undefined : readScanned(body, params), positional: dialect.positional };
}
