import { expectRefusal, type Refusal } from '../base/refusal.ts';
import type { Answer, AnswerWriter } from './answer_writer.ts';
import { keepSource, type RequestSource } from './limits/request_source.ts';
import { getSenderId, type BodyInProgress } from './body_in_progress.ts';
import { ChunkedRead } from './chunked_read.ts';
import { defaultDialect, methodDialect } from './envelope/dialect.ts';
import type { BadRequest, Frame, Request } from './envelope/envelope.ts';
import { errorCodes, invalidRequest, refuseCall } from './envelope/errors.ts';
import type { CallsByClient } from './limits/calls_by_client.ts';
import type { CallFinder, FoundCall } from './envelope/find_call.ts';
import type { HeadWaits } from './head_waits.ts';
import { HEAD_WAIT_MS } from './envelope/heads.ts';
import type { Host } from './envelope/host.ts';
import type { Limits } from './limits/limits.ts';
import type { MethodTimes } from './limits/method_times.ts';
import { takeCall } from './limits/rate_limiter.ts';
import type { ReadCalls } from './read_calls.ts';
import type { WaitingCalls } from './waiting_calls.ts';

/** Answers of this many characters take as long as a read. */
const LONG_ANSWERS = 64 * 1024;

/** The parts that process the elements of a body. */
export interface BodyParts<C> {
  readonly host: Host<C>;
  readonly limits: Limits;
  readonly times: MethodTimes;
  readonly clients: CallsByClient;
  readonly writer: AnswerWriter;
  readonly finder: CallFinder<C>;
  readonly reads: ReadCalls<C>;
  readonly waiting: WaitingCalls<C>;
  readonly headWaits: HeadWaits;
  /** Answers a call whose head has come, by itself. */
  readonly resume: (bytes: Buffer, requestSource: RequestSource) => Answer | Promise<Answer>;
}

/** Processes the elements of bodies one after the other, a time slice at a time. */
export class BodyProcessor<C> {
  readonly #parts: BodyParts<C>;

  constructor(parts: BodyParts<C>) {
    this.#parts = parts;
  }

  /** Processes at least one step, until the time slice is over; true when nothing is left to do. */
  runSlice(body: BodyInProgress<C>, elements: Frame['elements'], endMs: number): boolean {
    const { host, reads } = this.#parts;
    const foundBefore = reads.foundOut;
    const lengthBefore = body.length;
    let isReading: boolean;
    do {
      isReading = body.reading !== undefined;
      if (body.reading !== undefined) this.#continueReading(body, body.reading);
      else this.#takeElement(body, elements);
      if (body.next >= elements.length && body.reading === undefined) return true;
      // Calls that are only handed on or repeated take too little time to be worth reading the clock.
    } while (
      (!isReading && reads.foundOut === foundBefore && body.length - lengthBefore < LONG_ANSWERS) ||
      host.clock.elapsedMs() < endMs
    );
    return false;
  }

  /** Refuses what is left of a body: too many bodies wait already. */
  refuseBusy(body: BodyInProgress<C>, elements: Frame['elements']): void {
    const { limits, writer, waiting } = this.#parts;
    const busy = expectRefusal(() => refuseCall.too_busy({ limit: limits.callsPerSocket }));
    const { reading } = body;
    if (reading !== undefined)
      body.answers.texts[body.next - 1] = writer.failure(busy, reading.call, errorCodes.refusedByMethod);
    this.#refuseRest(body, elements, busy);
    waiting.watchTime(body);
  }

  #takeElement(body: BodyInProgress<C>, elements: Frame['elements']): void {
    const element = elements[body.next];
    if (element === undefined) return;
    const refusal = this.#whyNotServed(body, elements.length);
    if (refusal !== undefined) return this.#refuseRest(body, elements, refusal);
    const place = body.next++;
    if (this.#isInVain(body, element)) return;
    this.#dispatchElement(body, place, element);
    body.length += body.answers.texts[place]?.length ?? 0;
  }

  /** Takes one call from what the address may ask for; the reason when it may not ask for it. */
  #whyNotServed(body: BodyInProgress<C>, count: number): Refusal | undefined {
    const { callsPerSecond, batchWeight } = this.#parts.limits;
    const { isWhole, next: served, weight, bucket, tally } = body;
    if (!isWhole && weight > batchWeight)
      return expectRefusal(() => refuseCall.batch_too_heavy({ limit: batchWeight, served, count }));
    body.weight++;
    if (takeCall(bucket)) {
      tally.calls++;
      tally.weight++;
      return undefined;
    }
    this.#parts.clients.overLimit(tally, count - served);
    return expectRefusal(() =>
      isWhole
        ? refuseCall.rate_exceeded({ limit: callsPerSecond })
        : refuseCall.batch_rate_exceeded({ limit: callsPerSecond, served, count }),
    );
  }

  /** A read whose result would not be sent, because the responses together are too large already. */
  #isInVain({ length }: BodyInProgress<C>, element: Request | BadRequest): boolean {
    if (length <= this.#parts.limits.answerBytes || element.kind === 'bad') return false;
    return this.#parts.finder.methodNamed(element.method, methodDialect(element.method))?.run.kind === 'read';
  }

  #refuseRest(body: BodyInProgress<C>, elements: Frame['elements'], refusal: Refusal): void {
    for (; body.next < elements.length; body.next++) {
      const element = elements[body.next];
      const call = element === undefined ? undefined : this.#findCall(body, body.next, element);
      if (call !== undefined)
        body.answers.texts[body.next] = this.#parts.writer.failure(refusal, call, errorCodes.refusedByMethod);
    }
  }

  #dispatchElement(body: BodyInProgress<C>, place: number, element: Request | BadRequest): void {
    const call = this.#findCall(body, place, element);
    if (call === undefined) return;
    const { host, reads, waiting } = this.#parts;
    const { run } = call.method;
    const asked = element.kind === 'bad' || element.minHead === '' ? body.requestSource.minHead : element.minHead;
    if (asked !== '' && element.kind !== 'bad' && !this.#hasHead(body, place, element, call, asked)) return;
    const startedMs = run.kind === 'hand_on' ? body.startedMs : host.clock.elapsedMs();
    try {
      if (run.kind === 'hand_on') return waiting.forwardCall(body, place, call, run);
      const answer =
        run.kind === 'read' ? reads.answer(body, call, run, startedMs) : waiting.run(body, call, run, startedMs);
      if (answer instanceof ChunkedRead) body.reading = answer;
      else this.#put(body, place, answer);
    } catch (error) {
      this.#fail(body, place, call, error, startedMs);
    }
  }

  /**
   * Returns whether the head that a call wants is here. Where it is not, the call waits for it, apart from the others
   * of its body, or is refused.
   */
  #hasHead(body: BodyInProgress<C>, place: number, element: Request, call: FoundCall<C>, asked: string): boolean {
    const { host, writer, headWaits, resume } = this.#parts;
    const refuse = (error: unknown): Answer => writer.failure(error, call, errorCodes.refusedByMethod);
    try {
      if ((host.heads?.standing(asked) ?? 'here') === 'here') {
        // Values that this time slice looked up before may be older, and so may the server's from the arrival of the
        // body.
        body.version = undefined;
        if (place === 0) body.requestSource.lookAtHead?.();
        return true;
      }
      if (!body.mayWait)
        refuseCall.head_not_reached({ asked, head: host.heads?.number() ?? 0, seconds: HEAD_WAIT_MS / 1000 });
      const senderId = getSenderId(body);
      const { subscriber, address, isLocal, minHead } = body.requestSource;
      const isKept = keepSource(body.requestSource);
      const requestSource: RequestSource = {
        subscriber,
        address,
        isLocal,
        minHead,
        isKept,
        senderIdOf: () => senderId,
      };
      const bytes = Buffer.from(body.bytes.subarray(element.start, element.end));
      const run = (): Answer | Promise<Answer> => {
        if (subscriber?.isOpen() === false) return undefined;
        if (body.isWhole) body.requestSource.lookAtHead?.();
        return resume(bytes, requestSource);
      };
      this.#put(body, place, headWaits.add({ asked, address, bytes: bytes.length, run, refuse }));
    } catch (error) {
      body.answers.texts[place] = refuse(error);
    }
    return false;
  }

  /** The next step of the read that was dispatched last. */
  #continueReading(body: BodyInProgress<C>, reading: ChunkedRead<C>): void {
    const place = body.next - 1;
    try {
      if (!reading.takeStep()) return;
      body.reading = undefined;
      this.#put(body, place, this.#parts.reads.end(body, reading));
    } catch (error) {
      body.reading = undefined;
      this.#fail(body, place, reading.call, error, reading.startedMs);
    }
    body.length += body.answers.texts[place]?.length ?? 0;
  }

  #fail({ answers }: BodyInProgress<C>, place: number, call: FoundCall<C>, error: unknown, startedMs: number): void {
    const { host, times, writer } = this.#parts;
    times.answered(call.method.name, host.clock.elapsedMs() - startedMs, true);
    answers.texts[place] = writer.failure(error, call, errorCodes.refusedByMethod);
  }

  #put({ answers, isWhole }: BodyInProgress<C>, place: number, answer: Answer | Promise<Answer>): void {
    const { writer } = this.#parts;
    if (!(answer instanceof Promise)) return void (answers.texts[place] = isWhole ? answer : writer.inBatch(answer));
    answers.open(place, undefined);
    void answer.then((text) => answers.close(place, isWhole ? text : writer.inBatch(text)));
  }

  /** The call of an element; where there is none, its place gets the error. */
  #findCall(
    { bytes, isWhole, answers }: BodyInProgress<C>,
    place: number,
    element: Request | BadRequest,
  ): FoundCall<C> | undefined {
    const { finder, times, writer } = this.#parts;
    if (element.kind === 'bad') {
      times.badRequests++;
      answers.texts[place] = writer.error(invalidRequest(element.fault), defaultDialect, element.id);
      return undefined;
    }
    const found = finder.find(bytes, element, isWhole);
    if ('method' in found) return found;
    if (found.isUnknownMethod) times.unknownMethods++;
    answers.texts[place] = writer.error(found.error, found.dialect, found.id);
    return undefined;
  }
}
