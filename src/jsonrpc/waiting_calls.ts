import { Refusal } from '../base/refusal.ts';
import { readScanned } from '../codec/json_reader.ts';
import type { Answer, AnswerWriter } from './answer_writer.ts';
import { charge, senderIdOf, type AskedBody } from './asked_body.ts';
import { withDeadline } from './deadline.ts';
import { errorCodes, refuseCall } from './errors.ts';
import { allowPrivateKey } from './private_keys.ts';
import type { FoundCall } from './find_call.ts';
import type { Host } from './host.ts';
import type { Limits } from './limits.ts';
import type { GivenParams, Method, Run } from './method.ts';
import type { MethodTimes } from './method_times.ts';
import { SlicedRead } from './sliced_read.ts';
import { SlicedResult } from './sliced_result.ts';
import type { Turns } from './turns.ts';
import { weightOf, weightOfAnswer } from './weight.ts';

type WaitRun<C> = Extract<Run<C>, { kind: 'wait' }>;
type HandOnRun<C> = Extract<Run<C>, { kind: 'hand_on' }>;

/** What waiting calls are answered and counted with. */
export interface WaitingParts<C> {
  readonly limits: Pick<Limits, 'requestsInFlight' | 'callDeadlineMs' | 'waitDeadlineMs'>;
  readonly host: Host<C>;
  readonly times: MethodTimes;
  readonly writer: AnswerWriter;
  readonly turns: Turns;
}

/** Calls whose responses come later: a limited number at once, each within its deadline. */
export class WaitingCalls<C> {
  readonly #parts: WaitingParts<C>;
  #inFlight = 0;

  constructor(parts: WaitingParts<C>) {
    this.#parts = parts;
  }

  /** Refuses a call that may not wait here, or not now. */
  allow({ needsPrivateKey }: Method<C>, asked: AskedBody<C>): void {
    const { host, limits } = this.#parts;
    if (needsPrivateKey) allowPrivateKey(host.privateKeyMethods, asked.asker);
    const { requestsInFlight: limit } = limits;
    if (this.#inFlight >= limit) refuseCall.too_busy({ limit });
  }

  /** Runs an asynchronous method. */
  run(asked: AskedBody<C>, call: FoundCall<C>, { answer }: WaitRun<C>, startedMs: number): Promise<Answer> {
    this.allow(call.method, asked);
    const { bytes } = asked;
    const { subscriber } = asked.asker;
    const given = givenParams(bytes, call);
    charge(asked, weightOf(call.method.weight, given.json) - 1);
    const context = subscriber === undefined ? call.context : this.#parts.host.withSubscriber(call.context, subscriber);
    return this.await(answer(given, context), asked, call, startedMs);
  }

  /** The response made from a result that comes later. */
  async await(pending: Promise<unknown>, asked: AskedBody<C>, call: FoundCall<C>, startedMs: number): Promise<Answer> {
    const { limits, host, times, writer } = this.#parts;
    this.#countInFlight(1);
    try {
      const result = await withDeadline(pending, limits.callDeadlineMs, host.clock);
      const answer =
        result instanceof SlicedResult
          ? await this.#takeSteps(asked, new SlicedRead(result, call, writer, startedMs, 0))
          : writer.success(writer.textOf(result, call), call);
      charge(asked, weightOfAnswer(answer?.length ?? 0));
      times.answered(call.method.name, host.clock.elapsedMs() - startedMs, false);
      return answer;
    } catch (error) {
      times.answered(call.method.name, host.clock.elapsedMs() - startedMs, true);
      return writer.failure(error, call, codeOf(error, call.method));
    } finally {
      this.#countInFlight(-1);
    }
  }

  /** Takes the steps of a read in turns with everybody else. */
  #takeSteps(asked: AskedBody<C>, read: SlicedRead<C>): Promise<Answer> {
    const { clock } = this.#parts.host;
    return new Promise((resolve, reject) => {
      const takeTurn = (endMs: number): boolean => {
        try {
          do if (read.takeStep()) return (resolve(read.answer()), true);
          while (clock.elapsedMs() < endMs);
          return false;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      };
      this.#parts.turns.add({ senderId: senderIdOf(asked), bytes: 0, takeTurn });
    });
  }

  /** Hands on the params of a call as they are; its response takes its place when it arrives. */
  handOn(asked: AskedBody<C>, place: number, call: FoundCall<C>, { answer }: HandOnRun<C>): void {
    this.allow(call.method, asked);
    const params = asked.bytes.subarray(call.params?.start ?? 0, call.params?.end ?? 0);
    charge(asked, (call.method.weight.call ?? 1) - 1 + weightOfAnswer(params.length));
    const result = answer(params, call.context, senderIdOf(asked));
    asked.answers.open(place, call);
    this.#countInFlight(1);
    result.then(
      (given) => this.#take(asked, place, given),
      (error: unknown) => this.#fail(asked, place, error),
    );
  }

  /** One timer for everything that a body hands on. */
  watchTime(asked: AskedBody<C>): void {
    const { limits, host } = this.#parts;
    const { answers } = asked;
    if (answers.hasWaiting) answers.expire(limits.waitDeadlineMs, host.clock, (late, error) => this.#fail(asked, late, error));
  }

  #take(asked: AskedBody<C>, place: number, result: unknown): void {
    const call = asked.answers.take(place);
    if (call === undefined) return;
    const { writer } = this.#parts;
    try {
      const text = writer.textOf(result, call);
      this.#count(asked, call, false);
      asked.answers.close(place, writer.success(text, call));
    } catch (error) {
      this.#closeFailed(asked, place, call, error);
    }
  }

  #fail(asked: AskedBody<C>, place: number, error: unknown): void {
    const call = asked.answers.take(place);
    if (call !== undefined) this.#closeFailed(asked, place, call, error);
  }

  #closeFailed(asked: AskedBody<C>, place: number, call: FoundCall<C>, error: unknown): void {
    this.#count(asked, call, true);
    asked.answers.close(place, this.#parts.writer.failure(error, call, codeOf(error, call.method)));
  }

  #count({ startedMs }: AskedBody<C>, { method }: FoundCall<C>, isRefused: boolean): void {
    this.#countInFlight(-1);
    this.#parts.times.answered(method.name, this.#parts.host.clock.elapsedMs() - startedMs, isRefused);
  }

  #countInFlight(more: 1 | -1): void {
    this.#inFlight += more;
    this.#parts.times.inFlight += more;
  }
}

/** The decoded params of a call. */
export function givenParams(body: Buffer, { params, dialect }: Pick<FoundCall<unknown>, 'params' | 'dialect'>): GivenParams {
  return { json: params === undefined ? undefined : readScanned(body, params), positional: dialect.positional };
}

/** Where a refusal comes from: the method itself, by a declared refusal, or the chain. */
function codeOf(error: unknown, { refuses, run }: Method<never>): number {
  const isOwn =
    run.kind === 'read' ||
    (error instanceof Refusal && (Object.hasOwn(refuses, error.code) || Object.hasOwn(refuseCall.texts, error.code)));
  return isOwn ? errorCodes.refusedByMethod : errorCodes.refusedByChain;
}
