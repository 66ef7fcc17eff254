import { Refusal, refusalBy } from '../base/refusal.ts';
import { AnswerWriter, type Answer } from './answer_writer.ts';
import { senderIdOf, type AskedBody } from './asked_body.ts';
import { ownProcess, type Asker } from './asker.ts';
import { CallRates, takeCall, type Allowance } from './call_rates.ts';
import { defaultDialect, dialectOf } from './dialect.ts';
import { EnvelopeScanner, type BadRequest, type Frame, type Request } from './envelope.ts';
import { errorCodes, internalError, invalidRequest, parseError, rateExceeded, refuseCall, tooBusy, type RpcError } from './errors.ts';
import { CallFinder, type FoundCall, type Served } from './find_call.ts';
import type { Host } from './host.ts';
import type { Limits } from './limits.ts';
import { MethodTimes } from './method_times.ts';
import { OpenAnswers } from './open_answers.ts';
import { ReadCalls } from './read_calls.ts';
import { SlicedRead } from './sliced_read.ts';
import { Turns } from './turns.ts';
import { WaitingCalls } from './waiting_calls.ts';
import { weightOfAnswer } from './weight.ts';

/** Answers of so many characters take as long as a read. */
const LONG_ANSWERS = 64 * 1024;
/** A larger body is refused without being read, and so without its id. */
const READ_TO_REFUSE_BYTES = 4096;

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
  readonly #turns: Turns;
  readonly #times: MethodTimes;
  readonly #rates: CallRates;

  constructor(options: DispatcherOptions<C>) {
    const { host, limits, times = new MethodTimes() } = options;
    this.#options = options;
    this.#times = times;
    this.#scanner = new EnvelopeScanner(limits);
    this.#finder = new CallFinder(options, host, this.#scanner);
    this.#writer = new AnswerWriter(limits, host);
    this.#turns = new Turns(host.clock, limits.callsPerSocket, limits.requestsInFlight);
    this.#waiting = new WaitingCalls({ limits, host, times, writer: this.#writer, turns: this.#turns });
    this.#reads = new ReadCalls({ host, idBytes: limits.idBytes, times, writer: this.#writer, waiting: this.#waiting });
    this.#rates = new CallRates(limits, host.clock);
  }

  /**
   * The response to a body that was answered before in the same state, with the id of this one; undefined when the body has to be
   * dispatched. The bytes change with the next call.
   */
  fromCache(body: Uint8Array, asker = ownProcess): Uint8Array | undefined {
    const known = this.#reads.known(body);
    if (known === undefined) return undefined;
    const allowance = this.#rates.of(asker);
    if (!takeCall(allowance)) return undefined;
    const answer = this.#reads.again(known, body);
    if (allowance !== undefined) allowance.left -= weightOfAnswer(answer.length);
    return answer;
  }

  /**
   * The body may be reused as soon as this returns; it neither throws nor rejects.
   */
  dispatch(body: Buffer, asker = ownProcess): Answer | Promise<Answer> {
    const nowMs = this.#options.host.clock.elapsedMs();
    const endMs = this.#turns.endMsAt(nowMs);
    if (nowMs < endMs) return this.#dispatchNow(body, asker, nowMs, endMs);
    return this.#dispatchLater(body, asker);
  }

  #dispatchNow(bytes: Buffer, asker: Asker, startedMs: number, endMs: number): Answer | Promise<Answer> {
    const begun = this.#begin(bytes, asker, startedMs, endMs);
    if (!('asked' in begun)) return begun.answer;
    const { asked, frame, isDone } = begun;
    if (!isDone) this.#takeRest({ ...asked, bytes: Buffer.from(bytes) }, frame);
    return this.#answerOf(asked, frame);
  }

  /** The body waits until it is its sender's turn. */
  #dispatchLater(body: Buffer, asker: Asker): Answer | Promise<Answer> {
    const { limits, host } = this.#options;
    const allowance = this.#rates.of(asker);
    if (allowance !== undefined && allowance.left < 1) return this.#refuseUnread(body, rateExceeded(limits.callsPerSecond));
    const { subscriber, address, isLocal } = asker;
    const senderId = asker.senderIdOf();
    if (this.#turns.isFull(senderId, body.length)) {
      // A WebSocket that sends so much would be sent as many refusals.
      if (subscriber === undefined) return this.#refuseUnread(body, tooBusy(limits.callsPerSocket));
      subscriber.drop('too many calls at once');
      return undefined;
    }
    const bytes = Buffer.from(body);
    return new Promise((resolve) => {
      let begun: Begun<C> | undefined;
      const takeTurn = (endMs: number): boolean => {
        if (subscriber?.isOpen() === false) return (resolve(undefined), true);
        if (begun === undefined) {
          begun = this.#begin(bytes, { subscriber, address, isLocal, senderIdOf: () => senderId }, host.clock.elapsedMs(), endMs);
          if (!('asked' in begun)) return (resolve(begun.answer), true);
          if (!begun.isDone) begun.asked.answers.open(begun.frame.elements.length, undefined);
          resolve(this.#answerOf(begun.asked, begun.frame));
          return begun.isDone;
        }
        return !('asked' in begun) || this.#goOn(begun.asked, begun.frame, endMs);
      };
      this.#turns.add({ senderId, bytes: bytes.length, takeTurn });
    });
  }

  /** The first turn of a body. */
  #begin(bytes: Buffer, asker: Asker, startedMs: number, endMs: number): Begun<C> {
    try {
      const frame = this.#scanner.scan(bytes);
      const asked = this.#asked(bytes, asker, this.#rates.of(asker), !frame.batch, startedMs);
      const isDone = this.#takeTurn(asked, frame.elements, endMs);
      if (isDone) this.#waiting.watchTime(asked);
      return { asked, frame, isDone };
    } catch (error) {
      takeCall(this.#rates.of(asker));
      return { answer: this.#failBody(error) };
    }
  }

  #asked(bytes: Buffer, asker: Asker, allowance: Allowance | undefined, isWhole: boolean, startedMs: number): AskedBody<C> {
    return {
      bytes,
      asker,
      senderId: undefined,
      allowance,
      version: undefined,
      startedMs,
      isWhole,
      answers: new OpenAnswers(),
      next: 0,
      reading: undefined,
      weight: 0,
      length: 0,
    };
  }

  #answerOf({ answers }: AskedBody<C>, { batch }: Frame): Answer | Promise<Answer> {
    const put = (): Answer => (batch ? this.#writer.batch(answers.texts) : answers.texts[0]);
    return answers.isComplete ? put() : answers.whole().then(put);
  }

  #failBody(error: unknown): Answer {
    this.#times.badRequests++;
    if (error instanceof Refusal) return defaultDialect.failure(parseError(error), 'null');
    this.#options.host.report(error, 'a body');
    return defaultDialect.failure(internalError, 'null');
  }

  /** Refuses a body as a whole, cheaply: with the id where it is a small single call. */
  #refuseUnread(body: Buffer, error: RpcError): Answer {
    if (body.length > READ_TO_REFUSE_BYTES) return this.#writer.error(error, defaultDialect, 'null');
    try {
      const [only, ...others] = this.#scanner.scan(body).elements;
      return this.#writer.error(error, defaultDialect, others.length === 0 ? (only?.id ?? 'null') : 'null');
    } catch (failure) {
      return this.#failBody(failure);
    }
  }

  /** Processes at least one step, until the turn is over; true when nothing is left to do. */
  #takeTurn(asked: AskedBody<C>, elements: Frame['elements'], endMs: number): boolean {
    const { clock } = this.#options.host;
    const foundBefore = this.#reads.foundOut;
    const lengthBefore = asked.length;
    do {
      if (asked.reading !== undefined) this.#readOn(asked, asked.reading);
      else this.#takeElement(asked, elements);
      if (asked.next >= elements.length && asked.reading === undefined) return true;
      // Calls that are only handed on or repeated take too little time to be worth reading the clock.
    } while ((this.#reads.foundOut === foundBefore && asked.length - lengthBefore < LONG_ANSWERS) || clock.elapsedMs() < endMs);
    return false;
  }

  #takeElement(asked: AskedBody<C>, elements: Frame['elements']): void {
    const element = elements[asked.next];
    if (element === undefined) return;
    const refusal = this.#whyNotServed(asked, elements.length);
    if (refusal !== undefined) return this.#refuseRest(asked, elements, refusal);
    const place = asked.next++;
    if (this.#isInVain(asked, element)) return;
    this.#dispatchElement(asked, place, element);
    asked.length += asked.answers.texts[place]?.length ?? 0;
  }

  /** Takes one call from what the address may ask for; the reason when it may not ask for it. */
  #whyNotServed(asked: AskedBody<C>, count: number): Refusal | undefined {
    const { callsPerSecond, batchWeight } = this.#options.limits;
    const { isWhole, next: served, weight, allowance } = asked;
    if (!isWhole && weight > batchWeight) return refusalBy(() => refuseCall.batch_too_heavy({ limit: batchWeight, served, count }));
    asked.weight++;
    if (takeCall(allowance)) return undefined;
    return refusalBy(() =>
      isWhole
        ? refuseCall.rate_exceeded({ limit: callsPerSecond })
        : refuseCall.batch_rate_exceeded({ limit: callsPerSecond, served, count }),
    );
  }

  /** A read whose result would not be sent, because the responses together are too large already. */
  #isInVain({ length }: AskedBody<C>, element: Request | BadRequest): boolean {
    if (length <= this.#options.limits.answerBytes || element.kind === 'bad') return false;
    return this.#finder.methodNamed(element.method, dialectOf(element.method))?.run.kind === 'read';
  }

  /** Processes the rest of a body turn by turn. */
  #takeRest(asked: AskedBody<C>, frame: Frame): void {
    const { answers, bytes } = asked;
    const senderId = senderIdOf(asked);
    if (this.#turns.isFull(senderId, bytes.length)) return this.#refuseBusy(asked, frame.elements);
    // An extra place stays open as long as there are turns to come.
    answers.open(frame.elements.length, undefined);
    this.#turns.add({ senderId, bytes: bytes.length, takeTurn: (endMs) => this.#goOn(asked, frame, endMs) });
  }

  /** A further turn of a body. */
  #goOn(asked: AskedBody<C>, { elements }: Frame, endMs: number): boolean {
    const isGone = asked.asker.subscriber?.isOpen() === false;
    asked.version = undefined;
    if (!isGone && !this.#takeTurn(asked, elements, endMs)) return false;
    this.#waiting.watchTime(asked);
    asked.answers.close(elements.length, undefined);
    return true;
  }

  #refuseBusy(asked: AskedBody<C>, elements: Frame['elements']): void {
    const busy = refusalBy(() => refuseCall.too_busy({ limit: this.#options.limits.callsPerSocket }));
    const { reading } = asked;
    if (reading !== undefined) asked.answers.texts[asked.next - 1] = this.#writer.failure(busy, reading.call, errorCodes.refusedByMethod);
    this.#refuseRest(asked, elements, busy);
    this.#waiting.watchTime(asked);
  }

  #refuseRest(asked: AskedBody<C>, elements: Frame['elements'], refusal: Refusal): void {
    for (; asked.next < elements.length; asked.next++) {
      const element = elements[asked.next];
      const call = element === undefined ? undefined : this.#callOf(asked, asked.next, element);
      if (call !== undefined) asked.answers.texts[asked.next] = this.#writer.failure(refusal, call, errorCodes.refusedByMethod);
    }
  }

  #dispatchElement(asked: AskedBody<C>, place: number, element: Request | BadRequest): void {
    const call = this.#callOf(asked, place, element);
    if (call === undefined) return;
    const { run } = call.method;
    const startedMs = run.kind === 'hand_on' ? asked.startedMs : this.#options.host.clock.elapsedMs();
    try {
      if (run.kind === 'hand_on') return this.#waiting.handOn(asked, place, call, run);
      const answer = run.kind === 'read' ? this.#reads.answer(asked, call, run, startedMs) : this.#waiting.run(asked, call, run, startedMs);
      if (answer instanceof SlicedRead) asked.reading = answer;
      else this.#put(asked, place, answer);
    } catch (error) {
      this.#fail(asked, place, call, error, startedMs);
    }
  }

  /** The next step of the read that was dispatched last. */
  #readOn(asked: AskedBody<C>, reading: SlicedRead<C>): void {
    const place = asked.next - 1;
    try {
      if (!reading.takeStep()) return;
      asked.reading = undefined;
      this.#put(asked, place, this.#reads.end(asked, reading));
    } catch (error) {
      asked.reading = undefined;
      this.#fail(asked, place, reading.call, error, reading.startedMs);
    }
    asked.length += asked.answers.texts[place]?.length ?? 0;
  }

  #fail({ answers }: AskedBody<C>, place: number, call: FoundCall<C>, error: unknown, startedMs: number): void {
    this.#times.answered(call.method.name, this.#options.host.clock.elapsedMs() - startedMs, true);
    answers.texts[place] = this.#writer.failure(error, call, errorCodes.refusedByMethod);
  }

  #put({ answers, isWhole }: AskedBody<C>, place: number, answer: Answer | Promise<Answer>): void {
    if (!(answer instanceof Promise)) return void (answers.texts[place] = isWhole ? answer : this.#writer.inBatch(answer));
    answers.open(place, undefined);
    void answer.then((text) => answers.close(place, isWhole ? text : this.#writer.inBatch(text)));
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

/** A body behind its first turn: what is to be done with it, or the answer where it is no request at all. */
type Begun<C> = { readonly asked: AskedBody<C>; readonly frame: Frame; readonly isDone: boolean } | { readonly answer: Answer };
