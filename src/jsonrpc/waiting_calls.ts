import { Refusal } from '../base/refusal.ts';
import { readScanned } from '../codec/json_reader.ts';
import type { Answer, AnswerWriter } from './answer_writer.ts';
import { charge, getSenderId, type BodyInProgress } from './body_in_progress.ts';
import { withDeadline } from './envelope/deadline.ts';
import { errorCodes, refuseCall } from './envelope/errors.ts';
import { allowPrivateKey } from './envelope/private_keys.ts';
import type { FoundCall } from './envelope/find_call.ts';
import type { Host } from './envelope/host.ts';
import { MOST_PARAM_VALUES, type Limits } from './limits/limits.ts';
import type { GivenParams, Method, Run } from './envelope/method.ts';
import type { MethodTimes } from './limits/method_times.ts';
import { refuseParams } from './envelope/params.ts';
import { ChunkedRead } from './chunked_read.ts';
import { ChunkedResult } from './chunked_result.ts';
import type { FairScheduler } from './limits/fair_scheduler.ts';
import { SharedSum } from './limits/shared_sum.ts';
import { callWeight, weightOfAnswer } from './limits/weight.ts';

type WaitRun<C> = Extract<Run<C>, { kind: 'wait' }>;
type HandOnRun<C> = Extract<Run<C>, { kind: 'hand_on' }>;

/** The parts that answer and count waiting calls. */
export interface WaitingParts<C> {
  readonly limits: Pick<
    Limits,
    | 'requestsInFlight'
    | 'requestsInFlightPerAddress'
    | 'verifierCalls'
    | 'verifierCallsPerAddress'
    | 'callDeadlineMs'
    | 'waitDeadlineMs'
  >;
  readonly host: Host<C>;
  readonly times: MethodTimes;
  readonly writer: AnswerWriter;
  readonly scheduler: FairScheduler;
}

/** Calls whose responses come later: a limited number at once, each within its deadline unless it changes something. */
export class WaitingCalls<C> {
  readonly #parts: WaitingParts<C>;
  readonly #inFlight: SharedSum;
  /** Those of them that wait for the verifiers. */
  readonly #verifying: SharedSum;

  constructor(parts: WaitingParts<C>) {
    this.#parts = parts;
    const { limits } = parts;
    this.#inFlight = new SharedSum({ inAll: limits.requestsInFlight, perAddress: limits.requestsInFlightPerAddress });
    this.#verifying = new SharedSum({ inAll: limits.verifierCalls, perAddress: limits.verifierCallsPerAddress });
  }

  /** Refuses a call that may not wait here, or not now. */
  allow({ needsPrivateKey, forOperator = false, verifies = false }: Method<C>, body: BodyInProgress<C>): void {
    const { host } = this.#parts;
    const { address } = body.requestSource;
    if (needsPrivateKey) allowPrivateKey(host.privateKeyMethods, body.requestSource);
    if (forOperator && !body.requestSource.isLocal) refuseCall.operator_only();
    const limit = this.#inFlight.limitFor(address, 1) ?? (verifies ? this.#verifying.limitFor(address, 1) : undefined);
    if (limit !== undefined) refuseCall.too_busy({ limit });
  }

  /** Runs an asynchronous method. */
  run(body: BodyInProgress<C>, call: FoundCall<C>, { answer }: WaitRun<C>, startedMs: number): Promise<Answer> {
    this.allow(call.method, body);
    const { bytes } = body;
    const { subscriber } = body.requestSource;
    const given = givenParams(bytes, call, this.#parts.host);
    charge(body, callWeight(call.method.weight, given.json) - 1);
    const context = subscriber === undefined ? call.context : this.#parts.host.withSubscriber(call.context, subscriber);
    const pending = call.method.changes === true ? ifKept(body, () => answer(given, context)) : answer(given, context);
    return this.await(pending, body, call, startedMs);
  }

  /** The response made from a result that comes later. */
  async await(
    pending: Promise<unknown>,
    body: BodyInProgress<C>,
    call: FoundCall<C>,
    startedMs: number,
  ): Promise<Answer> {
    const { limits, host, times, writer } = this.#parts;
    const { address } = body.requestSource;
    const { verifies = false } = call.method;
    this.#countInFlight(address, 1);
    if (verifies) this.#verifying.change(address, 1);
    try {
      // A call that changes something goes on although nobody waits: an early answer would have it done twice.
      const result =
        call.method.changes === true ? await pending : await withDeadline(pending, limits.callDeadlineMs, host.clock);
      const answer =
        result instanceof ChunkedResult
          ? await this.#takeSteps(body, new ChunkedRead(result, call, writer, startedMs, 0))
          : writer.success(writer.resultText(result, call), call);
      charge(body, weightOfAnswer(answer?.length ?? 0));
      times.answered(call.method.name, host.clock.elapsedMs() - startedMs, false);
      return answer;
    } catch (error) {
      times.answered(call.method.name, host.clock.elapsedMs() - startedMs, true);
      return writer.failure(error, call, resultCode(error, call.method));
    } finally {
      this.#countInFlight(address, -1);
      if (verifies) this.#verifying.change(address, -1);
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
      this.#parts.scheduler.add({
        senderId: getSenderId(body),
        address: body.requestSource.address,
        bytes: 0,
        runSlice,
      });
    });
  }

  /** Hands on the params of a call as they are; its response takes its place when it arrives. */
  forwardCall(body: BodyInProgress<C>, place: number, call: FoundCall<C>, { answer }: HandOnRun<C>): void {
    this.allow(call.method, body);
    const params = body.bytes.subarray(call.params?.start ?? 0, call.params?.end ?? 0);
    charge(body, (call.method.weight.call ?? 1) - 1 + weightOfAnswer(params.length));
    // The bytes are gone when this returns.
    const kept = body.requestSource.isKept === undefined ? params : Buffer.from(params);
    const result = ifKept(body, () => answer(kept, call.context, getSenderId(body)));
    body.answers.open(place, call);
    this.#countInFlight(body.requestSource.address, 1);
    result.then(
      (given) => this.#take(body, place, given),
      (error: unknown) => this.#fail(body, place, error),
    );
  }

  /** One timer for everything that a body hands on. */
  watchTime(body: BodyInProgress<C>): void {
    const { limits, host } = this.#parts;
    const { answers } = body;
    if (answers.hasWaiting)
      answers.expire(limits.waitDeadlineMs, host.clock, (late, error) => this.#fail(body, late, error));
  }

  #take(body: BodyInProgress<C>, place: number, result: unknown): void {
    const call = body.answers.take(place);
    if (call === undefined) return;
    const { writer } = this.#parts;
    try {
      const text = writer.resultText(result, call);
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
    body.answers.close(place, this.#parts.writer.failure(error, call, resultCode(error, call.method)));
  }

  #count({ requestSource, startedMs }: BodyInProgress<C>, { method }: FoundCall<C>, isRefused: boolean): void {
    this.#countInFlight(requestSource.address, -1);
    this.#parts.times.answered(method.name, this.#parts.host.clock.elapsedMs() - startedMs, isRefused);
  }

  #countInFlight(address: string, more: 1 | -1): void {
    this.#inFlight.change(address, more);
    this.#parts.times.inFlight += more;
  }
}

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
  if (values > MOST_PARAM_VALUES) refuseParams.params_too_many({ most: MOST_PARAM_VALUES, values });
  return { json: readScanned(body, params), positional };
}

/** Begins what changes something, unless the connection of its sender was lost by what came behind it. */
function ifKept<T>(
  { requestSource }: Pick<BodyInProgress<never>, 'requestSource'>,
  begin: () => Promise<T>,
): Promise<T> {
  const kept = requestSource.isKept?.();
  if (kept === undefined) return begin();
  // Nobody hears the refusal.
  return kept.then(async (isKept) => (isKept ? await begin() : refuseCall.no_answer_in_time({ seconds: 0 })));
}

/** Returns the error code of a refusal: of the method itself, if declared, or of the chain. */
function resultCode(error: unknown, { refuses, run }: Method<never>): number {
  const isOwn =
    run.kind === 'read' ||
    (error instanceof Refusal && (Object.hasOwn(refuses, error.code) || Object.hasOwn(refuseCall.texts, error.code)));
  return isOwn ? errorCodes.refusedByMethod : errorCodes.refusedByChain;
}
