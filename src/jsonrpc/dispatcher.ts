import { unlessRefused } from '../base/refusal.ts';
import { AnswerWriter, type Answer } from './answer_writer.ts';
import { keepSource, ownProcess, type RequestSource } from './limits/request_source.ts';
import { BodyErrors } from './body_errors.ts';
import { newBody, getSenderId, type BodyInProgress } from './body_in_progress.ts';
import { BodyProcessor } from './body_processor.ts';
import { CallsByClient } from './limits/calls_by_client.ts';
import { EnvelopeScanner, type Frame } from './envelope/envelope.ts';
import { rateExceeded, tooBusy } from './envelope/errors.ts';
import { FairScheduler } from './limits/fair_scheduler.ts';
import { CallFinder, type Served } from './envelope/find_call.ts';
import { HeadWaits } from './head_waits.ts';
import type { Host } from './envelope/host.ts';
import type { Limits } from './limits/limits.ts';
import { MethodTimes } from './limits/method_times.ts';
import { RateLimiter, takeCall } from './limits/rate_limiter.ts';
import { ReadCalls } from './read_calls.ts';
import { WaitingCalls } from './waiting_calls.ts';
import { weightOfAnswer } from './limits/weight.ts';

export interface DispatcherOptions<C> extends Served<C> {
  readonly host: Host<C>;
  readonly limits: Limits;
  /** Counts responses; several dispatchers may share it. */
  readonly times?: MethodTimes;
  /** Counts calls by client; several dispatchers may share it. */
  readonly clients?: CallsByClient;
}

/** The bytes of repeated answers between two looks at the time: a look costs as much as a small answer. */
const REPEATED_BYTES = 64 * 1024;
/** The least that an answer counts as. */
const LEAST_REPEATED_BYTES = 4096;

/** Turns the bytes of a body into the text of its response, immediately where nothing has to be waited for. */
export class Dispatcher<C> {
  readonly #options: DispatcherOptions<C>;
  readonly #scanner: EnvelopeScanner;
  readonly #writer: AnswerWriter;
  readonly #errors: BodyErrors;
  readonly #waiting: WaitingCalls<C>;
  readonly #reads: ReadCalls<C>;
  readonly #processor: BodyProcessor<C>;
  readonly #scheduler: FairScheduler;
  readonly #rates: RateLimiter;
  readonly #clients: CallsByClient;
  /** Bytes of repeated answers since the last look at the time. */
  #repeatedBytes = 0;

  constructor(options: DispatcherOptions<C>) {
    const { host, limits, times = new MethodTimes(), clients = new CallsByClient(host.clock) } = options;
    this.#options = options;
    this.#clients = clients;
    this.#scanner = new EnvelopeScanner(limits);
    this.#writer = new AnswerWriter(limits, host);
    this.#errors = new BodyErrors({ host, scanner: this.#scanner, times, writer: this.#writer });
    this.#scheduler = new FairScheduler(host.clock, limits.callsPerSocket, {
      inAll: limits.requestsInFlight,
      perAddress: limits.requestsInFlightPerAddress,
    });
    this.#waiting = new WaitingCalls({ limits, host, times, writer: this.#writer, scheduler: this.#scheduler });
    this.#reads = new ReadCalls({ host, idBytes: limits.idBytes, times, writer: this.#writer, waiting: this.#waiting });
    const finder = new CallFinder(options, host, this.#scanner);
    this.#processor = new BodyProcessor({
      ...{ host, limits, times, clients, writer: this.#writer, finder, reads: this.#reads, waiting: this.#waiting },
      headWaits: new HeadWaits({ host, limits, times }),
      resume: (bytes, requestSource) => this.#dispatch(bytes, requestSource, false),
    });
    this.#rates = new RateLimiter(limits, host.clock);
  }

  /**
   * The response to a body that was answered before in the same state, with the id of this one; undefined when the body
   * has to be dispatched, such as when its turn is over. The bytes change with the next call.
   */
  fromCache(body: Uint8Array, requestSource = ownProcess): Uint8Array | undefined {
    if (requestSource.minHead !== '') {
      if (!this.#isHere(requestSource.minHead)) return undefined;
      requestSource.lookAtHead?.();
    }
    const known = this.#reads.cached(body);
    if (known === undefined || !this.#mayRepeat()) return undefined;
    const bucket = this.#rates.findBucket(requestSource);
    if (!takeCall(bucket)) return undefined;
    const answer = this.#reads.repeat(known, body);
    this.#repeatedBytes += Math.max(LEAST_REPEATED_BYTES, answer.length);
    const weight = weightOfAnswer(answer.length);
    if (bucket !== undefined) bucket.tokens -= weight;
    this.#clients.repeated(requestSource, 1 + weight);
    return answer;
  }

  /** False where the turn is over: a packet may hold thousands of calls, and sending their answers takes the time. */
  #mayRepeat(): boolean {
    if (this.#repeatedBytes < REPEATED_BYTES) return true;
    const nowMs = this.#options.host.clock.elapsedMs();
    if (nowMs >= this.#scheduler.sliceEndMs(nowMs)) return false;
    this.#repeatedBytes = 0;
    return true;
  }

  /** Counts a page that is read from the state as a call of that weight; false where its client has none left. */
  takePage(requestSource: Pick<RequestSource, 'address' | 'isLocal'>, weight: number): boolean {
    const bucket = this.#rates.findBucket(requestSource);
    if (!takeCall(bucket)) {
      this.#clients.overLimit(this.#clients.of(requestSource.address), 1);
      return false;
    }
    if (bucket !== undefined) bucket.tokens -= weight - 1;
    this.#clients.repeated(requestSource, weight);
    return true;
  }

  /**
   * The body may be reused as soon as this returns; it neither throws nor rejects.
   */
  dispatch(bytes: Buffer, requestSource = ownProcess): Answer | Promise<Answer> {
    return this.#dispatch(bytes, requestSource, true);
  }

  /** `mayWait` says whether calls may wait for a head. */
  #dispatch(bytes: Buffer, requestSource: RequestSource, mayWait: boolean): Answer | Promise<Answer> {
    const nowMs = this.#options.host.clock.elapsedMs();
    const endMs = this.#scheduler.sliceEndMs(nowMs);
    if (nowMs < endMs) return this.#dispatchNow(bytes, requestSource, mayWait, nowMs, endMs);
    if (requestSource.losesConnection !== true) return this.#dispatchLater(bytes, requestSource, mayWait);
    const senderId = requestSource.senderIdOf();
    const extraEndMs = this.#scheduler.extraEndMs(senderId, nowMs);
    if (nowMs >= extraEndMs) return this.#dispatchLater(bytes, requestSource, mayWait);
    const answer = this.#dispatchNow(bytes, requestSource, mayWait, nowMs, extraEndMs);
    this.#scheduler.tookExtra(senderId, this.#options.host.clock.elapsedMs() - nowMs);
    return answer;
  }

  #isHere(asked: string): boolean {
    return unlessRefused(() => this.#options.host.heads?.standing(asked) ?? 'here') === 'here';
  }

  #dispatchNow(
    bytes: Buffer,
    requestSource: RequestSource,
    mayWait: boolean,
    startedMs: number,
    endMs: number,
  ): Answer | Promise<Answer> {
    const begun = this.#begin(bytes, requestSource, mayWait, startedMs, endMs);
    if (!('body' in begun)) return begun.answer;
    const { body, frame, isDone } = begun;
    if (!isDone) this.#queueRest({ ...body, bytes: Buffer.from(bytes) }, frame);
    return this.#answerOf(body, frame);
  }

  /** The body waits until its sender is served. */
  #dispatchLater(received: Buffer, requestSource: RequestSource, mayWait: boolean): Answer | Promise<Answer> {
    const { limits, host } = this.#options;
    const bucket = this.#rates.findBucket(requestSource);
    const { subscriber, address, isLocal, minHead } = requestSource;
    if (bucket !== undefined && bucket.tokens < 1) return this.#refuseGreedy(received, address);
    const senderId = requestSource.senderIdOf();
    if (this.#scheduler.isFull({ senderId, address, bytes: received.length })) {
      // A WebSocket that sends this much would be sent as many refusals.
      if (subscriber === undefined) return this.#errors.refused(received, tooBusy(limits.callsPerSocket));
      subscriber.drop('too many calls at once');
      return undefined;
    }
    const bytes = Buffer.from(received);
    return new Promise((resolve) => {
      let begun: Begun<C> | undefined;
      const runSlice = (endMs: number): boolean => {
        if (subscriber?.isOpen() === false) return (resolve(undefined), true);
        if (begun === undefined) {
          const lookAtHead = (): void => requestSource.lookAtHead?.();
          const isKept = keepSource(requestSource);
          const sender: RequestSource = {
            subscriber,
            address,
            isLocal,
            minHead,
            lookAtHead,
            isKept,
            senderIdOf: () => senderId,
          };
          begun = this.#begin(bytes, sender, mayWait, host.clock.elapsedMs(), endMs);
          if (!('body' in begun)) return (resolve(begun.answer), true);
          if (!begun.isDone) begun.body.answers.open(begun.frame.elements.length, undefined);
          resolve(this.#answerOf(begun.body, begun.frame));
          return begun.isDone;
        }
        return !('body' in begun) || this.#runSlice(begun.body, begun.frame, endMs);
      };
      this.#scheduler.add({ senderId, address, bytes: bytes.length, runSlice });
    });
  }

  #refuseGreedy(received: Buffer, address: string): Answer {
    this.#clients.overLimit(this.#clients.of(address), 1);
    return this.#errors.refused(received, rateExceeded(this.#options.limits.callsPerSecond));
  }

  /** The first time slice of a body. */
  #begin(bytes: Buffer, requestSource: RequestSource, mayWait: boolean, startedMs: number, endMs: number): Begun<C> {
    try {
      const frame = this.#scanner.scan(bytes);
      const counts = { bucket: this.#rates.findBucket(requestSource), tally: this.#clients.of(requestSource.address) };
      const body = newBody<C>(bytes, requestSource, counts, { isWhole: !frame.batch, mayWait }, startedMs);
      const isDone = this.#processor.runSlice(body, frame.elements, endMs);
      if (isDone) this.#waiting.watchTime(body);
      return { body, frame, isDone };
    } catch (error) {
      takeCall(this.#rates.findBucket(requestSource));
      this.#clients.of(requestSource.address).calls++;
      return { answer: this.#errors.failed(error) };
    }
  }

  /** Queues what is left of a body for further time slices. */
  #queueRest(body: BodyInProgress<C>, frame: Frame): void {
    const { answers } = body;
    const waiting = { senderId: getSenderId(body), address: body.requestSource.address, bytes: body.bytes.length };
    if (this.#scheduler.isFull(waiting)) return this.#processor.refuseBusy(body, frame.elements);
    // An extra place stays open as long as there are time slices to come.
    answers.open(frame.elements.length, undefined);
    this.#scheduler.add({ ...waiting, runSlice: (endMs) => this.#runSlice(body, frame, endMs) });
  }

  /** A further time slice of a body; true when it was the last. */
  #runSlice(body: BodyInProgress<C>, { elements }: Frame, endMs: number): boolean {
    const isGone = body.requestSource.subscriber?.isOpen() === false;
    body.version = undefined;
    if (!isGone && !this.#processor.runSlice(body, elements, endMs)) return false;
    this.#waiting.watchTime(body);
    body.answers.close(elements.length, undefined);
    return true;
  }

  #answerOf({ answers }: BodyInProgress<C>, { batch }: Frame): Answer | Promise<Answer> {
    const put = (): Answer => (batch ? this.#writer.batch(answers.texts) : answers.texts[0]);
    return answers.isComplete ? put() : answers.whole().then(put);
  }
}

/** A body after its first time slice: what is left to do, or the answer where it is no request at all. */
type Begun<C> =
  | { readonly body: BodyInProgress<C>; readonly frame: Frame; readonly isDone: boolean }
  | { readonly answer: Answer };
