import { Refusal, refusalBy } from '../base/refusal.ts';
import { AnswerWriter, type Answer } from './answer_writer.ts';
import type { AskedBody } from './asked_body.ts';
import { CallRates } from './call_rates.ts';
import { defaultDialect, dialectOf } from './dialect.ts';
import { EnvelopeScanner, type BadRequest, type Frame, type Request } from './envelope.ts';
import { errorCodes, internalError, invalidRequest, parseError, rateExceeded, refuseCall } from './errors.ts';
import { CallFinder, type FoundCall, type Served } from './find_call.ts';
import type { Host } from './host.ts';
import type { Limits } from './limits.ts';
import { LONG_BATCHES, LongBatches } from './long_batches.ts';
import { MethodTimes } from './method_times.ts';
import { OpenAnswers } from './open_answers.ts';
import { ReadCalls } from './read_calls.ts';
import type { Subscriber } from './subscriber.ts';
import { WaitingCalls } from './waiting_calls.ts';

/** How long a batch is processed before others get their turn: short enough that other callers don't notice. */
const SLICE_MS = 10;

/** Calls that did not come through a server have no senderId of their own. */
const nobody = (): number => 0;

export interface DispatcherOptions<C> extends Served<C> {
  readonly host: Host<C>;
  readonly limits: Limits;
  /** Where responses are counted; several dispatchers may share it. */
  readonly times?: MethodTimes;
}

/** Turns the bytes of a body into the text of its response, immediately where nothing has to be waited for. */
export class Dispatcher<C> {
  readonly #options: DispatcherOptions<C>;
  readonly #scanner: EnvelopeScanner;
  readonly #finder: CallFinder<C>;
  readonly #writer: AnswerWriter;
  readonly #waiting: WaitingCalls<C>;
  readonly #reads: ReadCalls<C>;
  readonly #longBatches: LongBatches;
  readonly #times: MethodTimes;
  readonly #rates: CallRates;

  constructor(options: DispatcherOptions<C>) {
    const { host, limits, times = new MethodTimes() } = options;
    this.#options = options;
    this.#times = times;
    this.#scanner = new EnvelopeScanner(limits);
    this.#finder = new CallFinder(options, host, this.#scanner);
    this.#writer = new AnswerWriter(limits, host);
    this.#waiting = new WaitingCalls({ limits, host, times, writer: this.#writer });
    this.#reads = new ReadCalls({ host, idBytes: limits.idBytes, times, writer: this.#writer, waiting: this.#waiting });
    this.#longBatches = new LongBatches(host.clock);
    this.#rates = new CallRates(limits.callsPerSecond, host.clock);
  }

  /**
   * The response to a body that was answered before in the same state, with the id of this one; undefined when the body has to be
   * dispatched. The bytes change with the next call.
   */
  fromCache(body: Uint8Array, address = ''): Uint8Array | undefined {
    const known = this.#reads.known(body);
    return known === undefined || !this.#rates.take(address, 1) ? undefined : this.#reads.again(known, body);
  }

  /**
   * The body may be reused as soon as this returns; it neither throws nor rejects. `subscriber` is the connection that can be sent notices
   * later, `address` the one that calls are counted for, `senderIdOf` the sender accountable for what is handed on (http/sender_ids.ts).
   */
  dispatch(body: Buffer, subscriber?: Subscriber, address = '', senderIdOf = nobody): Answer | Promise<Answer> {
    try {
      const frame = this.#scanner.scan(body);
      if (!this.#rates.take(address, frame.elements.length)) return this.#refuseRate(frame.elements);
      return this.#dispatchFrame(body, frame, subscriber, senderIdOf);
    } catch (error) {
      return this.#failBody(error);
    }
  }

  #failBody(error: unknown): Answer {
    this.#times.badRequests++;
    if (error instanceof Refusal) return defaultDialect.failure(parseError(error), 'null');
    this.#options.host.report(error, 'a body');
    return defaultDialect.failure(internalError, 'null');
  }

  #refuseRate([only, ...others]: readonly (Request | BadRequest)[]): Answer {
    const { callsPerSecond } = this.#options.limits;
    return this.#writer.error(rateExceeded(callsPerSecond), defaultDialect, others.length === 0 ? (only?.id ?? 'null') : 'null');
  }

  #dispatchFrame(
    bytes: Buffer,
    { batch, elements }: Frame,
    subscriber: Subscriber | undefined,
    senderIdOf: () => number,
  ): Answer | Promise<Answer> {
    const answers = new OpenAnswers<string, FoundCall<C>>();
    const startedMs = this.#options.host.clock.elapsedMs();
    const asked: AskedBody<C> = {
      bytes,
      subscriber,
      senderIdOf,
      senderId: undefined,
      version: undefined,
      startedMs,
      isWhole: !batch,
      answers,
      length: 0,
    };
    const next = this.#takeSlice(asked, elements, 0, startedMs);
    if (next === elements.length) this.#waiting.watchTime(asked);
    else this.#takeRest({ ...asked, bytes: Buffer.from(bytes) }, elements, next);
    const put = (): Answer => (batch ? this.#writer.batch(answers.texts) : answers.texts[0]);
    return answers.isComplete ? put() : answers.whole().then(put);
  }

  /** Dispatches at least one element, until the time slice is over; returns the index of the next. */
  #takeSlice(asked: AskedBody<C>, elements: Frame['elements'], first: number, startedMs: number): number {
    const { clock } = this.#options.host;
    const foundBefore = this.#reads.foundOut;
    let next = first;
    do {
      const place = next++;
      const element = elements[place];
      if (element === undefined || this.#isInVain(asked, element)) continue;
      this.#dispatchElement(asked, place, element);
      asked.length += asked.answers.texts[place]?.length ?? 0;
      // Calls that are only handed on or repeated take too little time to be worth reading the clock.
    } while (next < elements.length && (this.#reads.foundOut === foundBefore || clock.elapsedMs() - startedMs < SLICE_MS));
    return next;
  }

  /** A read whose result would not be sent, because the responses together are too large already. */
  #isInVain({ length }: AskedBody<C>, element: Request | BadRequest): boolean {
    if (length <= this.#options.limits.answerBytes || element.kind === 'bad') return false;
    return this.#finder.methodNamed(element.method, dialectOf(element.method))?.run.kind === 'read';
  }

  /** Processes the rest of a batch slice by slice, once the batches before it are done. */
  #takeRest(asked: AskedBody<C>, elements: Frame['elements'], first: number): void {
    const { answers } = asked;
    if (this.#longBatches.isFull) return this.#refuseRest(asked, elements, first);
    // An extra place stays open as long as there are slices to come.
    const lastPlace = elements.length;
    answers.open(lastPlace, undefined);
    let next = first;
    this.#longBatches.add(
      () => {
        asked.version = undefined;
        next = this.#takeSlice(asked, elements, next, this.#options.host.clock.elapsedMs());
        return next < elements.length ? 'more' : 'done';
      },
      (error) => void (answers.texts[next] = this.#failBody(error)),
      () => {
        this.#waiting.watchTime(asked);
        answers.close(lastPlace, undefined);
      },
    );
  }

  #refuseRest(asked: AskedBody<C>, elements: Frame['elements'], first: number): void {
    const busy = refusalBy(() => refuseCall.too_busy({ limit: LONG_BATCHES }));
    for (const [offset, element] of elements.slice(first).entries()) {
      const place = first + offset;
      const call = this.#callOf(asked, place, element);
      if (call !== undefined) asked.answers.texts[place] = this.#writer.failure(busy, call, errorCodes.refusedByMethod);
    }
    this.#waiting.watchTime(asked);
  }

  #dispatchElement(asked: AskedBody<C>, place: number, element: Request | BadRequest): void {
    const call = this.#callOf(asked, place, element);
    if (call === undefined) return;
    const { run, name } = call.method;
    const startedMs = run.kind === 'hand_on' ? asked.startedMs : this.#options.host.clock.elapsedMs();
    try {
      if (run.kind === 'hand_on') return this.#waiting.handOn(asked, place, call, run);
      const answer = run.kind === 'read' ? this.#reads.answer(asked, call, run, startedMs) : this.#waiting.run(asked, call, run, startedMs);
      this.#put(asked, place, answer);
    } catch (error) {
      this.#times.answered(name, this.#options.host.clock.elapsedMs() - startedMs, true);
      asked.answers.texts[place] = this.#writer.failure(error, call, errorCodes.refusedByMethod);
    }
  }

  #put({ answers }: AskedBody<C>, place: number, answer: Answer | Promise<Answer>): void {
    if (!(answer instanceof Promise)) return void (answers.texts[place] = answer);
    answers.open(place, undefined);
    void answer.then((text) => answers.close(place, text));
  }

  /** The call of an element; where there is none, its place gets the error. */
  #callOf({ bytes, isWhole, answers }: AskedBody<C>, place: number, element: Request | BadRequest): FoundCall<C> | undefined {
    if (element.kind === 'bad') {
      this.#times.badRequests++;
      answers.texts[place] = this.#writer.error(invalidRequest(element.fault), defaultDialect, element.id);
      return undefined;
    }
    const found = this.#finder.find(bytes, element, isWhole);
    if ('method' in found) return found;
    if (found.isUnknownMethod) this.#times.unknownMethods++;
    answers.texts[place] = this.#writer.error(found.error, found.dialect, found.id);
    return undefined;
  }
}
