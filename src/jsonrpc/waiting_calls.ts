import { Refusal } from '../base/refusal.ts';
import { readScanned } from '../codec/json_reader.ts';
import type { Answer, AnswerWriter } from './answer_writer.ts';
import { charge, senderIdOf, type BodyInProgress } from './body_in_progress.ts';
import { withDeadline } from './deadline.ts';
import { errorCodes, refuseCall } from './errors.ts';
import { allowPrivateKey } from './private_keys.ts';
import type { FoundCall } from './find_call.ts';
import type { Host } from './host.ts';
import type { Limits } from './limits.ts';
import type { GivenParams, Method, Run } from './method.ts';
import type { MethodTimes } from './method_times.ts';
import { refuseParams } from './params.ts';
import { ChunkedRead } from './chunked_read.ts';
import { ChunkedResult } from './chunked_result.ts';
import type { FairScheduler } from './fair_scheduler.ts';
import { weightOf, weightOfAnswer } from './weight.ts';

type WaitRun<C> = Extract<Run<C>, { kind: 'wait' }>;
type HandOnRun<C> = Extract<Run<C>, { kind: 'hand_on' }>;

/** What waiting calls are answered and counted with. */
export interface WaitingParts<C> {
  readonly limits: Pick<Limits, 'requestsInFlight' | 'callDeadlineMs' | 'waitDeadlineMs'>;
  readonly host: Host<C>;
  readonly times: MethodTimes;
  readonly writer: AnswerWriter;
  readonly scheduler: FairScheduler;
}

/** Calls whose responses come later: a limited number at once, each within its deadline unless it changes something. */
export class WaitingCalls<C> {
  readonly #parts: WaitingParts<C>;
  #inFlight = 0;

  constructor(parts: WaitingParts<C>) {
    this.#parts = parts;
  }

  /** Refuses a call that may not wait here, or not now. */
  allow({ needsPrivateKey, forOperator = false }: Method<C>, body: BodyInProgress<C>): void {
    const { host, limits } = this.#parts;
    if (needsPrivateKey) allowPrivateKey(host.privateKeyMethods, body.asker);
    if (forOperator && !body.asker.isLocal) refuseCall.operator_only();
    const { requestsInFlight: limit } = limits;
    if (this.#inFlight >= limit) refuseCall.too_busy({ limit });
  }

  /** Runs an asynchronous method. */
  run(body: BodyInProgress<C>, call: FoundCall<C>, { answer }: WaitRun<C>, startedMs: number): Promise<Answer> {
    this.allow(call.method, body);
    const { bytes } = body;
    const { subscriber } = body.asker;
    const given = givenParams(bytes, call, this.#parts.host);
    charge(body, weightOf(call.method.weight, given.json) - 1);
    const context = subscriber === undefined ? call.context : this.#parts.host.withSubscriber(call.context, subscriber);
    return this.await(answer(given, context), body, call, startedMs);
  }

  /** The response made from a result that comes later. */
  async await(pending: Promise<unknown>, body: BodyInProgress<C>, call: FoundCall<C>, startedMs: number): Promise<Answer> {
    const { limits, host, times, writer } = this.#parts;
    this.#countInFlight(1);
    try {
      // What changes something goes on, whoever waits: an answer that is not the last word would have it done twice.
      const result = call.method.changes === true ? await pending : await withDeadline(pending, limits.callDeadlineMs, host.clock);
      const answer =
        result instanceof ChunkedResult
          ? await this.#takeSteps(body, new ChunkedRead(result, call, writer, startedMs, 0))
          : writer.success(writer.textOf(result, call), call);
      charge(body, weightOfAnswer(answer?.length ?? 0));
      times.answered(call.method.name, host.clock.elapsedMs() - startedMs, false);
      return answer;
    } catch (error) {
      times.answered(call.method.name, host.clock.elapsedMs() - startedMs, true);
      return writer.failure(error, call, codeOf(error, call.method));
    } finally {
      this.#countInFlight(-1);
    }
  }

  /** Takes the steps of a read in time slices, between those of other senders. */
  #takeSteps(body: BodyInProgress<C>, read: ChunkedRead<C>): Promise<Answer> {
    const { clock } = this.#parts.host;
    return new Promise((resolve, reject) => {
      const runSlice = (endMs: number): boolean => {
        try {
          do if (read.takeStep()) return (resolve(read.answer()), true);
          while (clock.elapsedMs() < endMs);
          return false;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      };
      this.#parts.scheduler.add({ senderId: senderIdOf(body), bytes: 0, runSlice });
    });
  }

  /** Hands on the params of a call as they are; its response takes its place when it arrives. */
  handOn(body: BodyInProgress<C>, place: number, call: FoundCall<C>, { answer }: HandOnRun<C>): void {
    this.allow(call.method, body);
    const params = body.bytes.subarray(call.params?.start ?? 0, call.params?.end ?? 0);
    charge(body, (call.method.weight.call ?? 1) - 1 + weightOfAnswer(params.length));
    const result = answer(params, call.context, senderIdOf(body));
    body.answers.open(place, call);
    this.#countInFlight(1);
    result.then(
      (given) => this.#take(body, place, given),
      (error: unknown) => this.#fail(body, place, error),
    );
  }

  /** One timer for everything that a body hands on. */
  watchTime(body: BodyInProgress<C>): void {
    const { limits, host } = this.#parts;
    const { answers } = body;
    if (answers.hasWaiting) answers.expire(limits.waitDeadlineMs, host.clock, (late, error) => this.#fail(body, late, error));
  }

  #take(body: BodyInProgress<C>, place: number, result: unknown): void {
    const call = body.answers.take(place);
    if (call === undefined) return;
    const { writer } = this.#parts;
    try {
      const text = writer.textOf(result, call);
      this.#count(body, call, false);
      body.answers.close(place, writer.success(text, call));
    } catch (error) {
      this.#closeFailed(body, place, call, error);
    }
  }

  #fail(body: BodyInProgress<C>, place: number, error: unknown): void {
    const call = body.answers.take(place);
    if (call !== undefined) this.#closeFailed(body, place, call, error);
  }

  #closeFailed(body: BodyInProgress<C>, place: number, call: FoundCall<C>, error: unknown): void {
    this.#count(body, call, true);
    body.answers.close(place, this.#parts.writer.failure(error, call, codeOf(error, call.method)));
  }

  #count({ startedMs }: BodyInProgress<C>, { method }: FoundCall<C>, isRefused: boolean): void {
    this.#countInFlight(-1);
    this.#parts.times.answered(method.name, this.#parts.host.clock.elapsedMs() - startedMs, isRefused);
  }

  #countInFlight(more: 1 | -1): void {
    this.#inFlight += more;
    this.#parts.times.inFlight += more;
  }
}

/** So many values are read within some milliseconds; the largest documented call, a block of 1 MiB, has fewer. */
const MOST_VALUES = 65_536;

/** The decoded params of a call; refused where reading them would hold up others. */
export function givenParams<C>(
  body: Buffer,
  { method, params, dialect }: Pick<FoundCall<C>, 'method' | 'params' | 'dialect'>,
  { paramsBytes }: Pick<Host<C>, 'paramsBytes'>,
): GivenParams {
  const { positional } = dialect;
  if (params === undefined) return { json: undefined, positional };
  const { start, end, values } = params;
  const most = method.paramsBytes ?? paramsBytes;
  if (end - start > most) refuseParams.params_too_long({ method: method.name, most, bytes: end - start });
  if (values > MOST_VALUES) refuseParams.params_too_many({ most: MOST_VALUES, values });
  return { json: readScanned(body, params), positional };
}

/** Where a refusal comes from: the method itself, by a declared refusal, or the chain. */
function codeOf(error: unknown, { refuses, run }: Method<never>): number {
  const isOwn =
    run.kind === 'read' ||
    (error instanceof Refusal && (Object.hasOwn(refuses, error.code) || Object.hasOwn(refuseCall.texts, error.code)));
  return isOwn ? errorCodes.refusedByMethod : errorCodes.refusedByChain;
}
