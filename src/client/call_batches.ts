import type { Clock } from '../base/clock.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { unlessAborted, type CallSignal } from './abort.ts';
import { NodeTimeout, readAnswer, readAnswers, type NodeAnswer } from './answer.ts';

/** A call of JSON-RPC, whose id stands for nothing. */
interface BatchedCall {
  readonly [member: string]: Json;
}

interface Waiting {
  readonly call: BatchedCall;
  readonly timeoutMs: number;
  readonly take: (answer: NodeAnswer) => void;
  readonly fail: (error: unknown) => void;
}

/** Calls that share a request, while somebody waits for them. */
interface Batch {
  readonly waiting: Set<Waiting>;
  /** Ends the request. */
  readonly stop: AbortController;
}

/** Sends a body; resolves to the bytes of the answer. */
export type BatchPost = (body: string, timeoutMs: number, signal: CallSignal) => Promise<Uint8Array>;

/** The most calls that nodes take in one request, unless their operator says otherwise. */
const MOST_CALLS = 100;

/** Joins calls that come within a time into one request, and gives each its own answer. */
export class CallBatches {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #post: BatchPost;
  /** The batch that takes further calls. */
  #open: Batch | undefined;

  constructor(url: string, clock: Clock, waitMs: number, post: BatchPost) {
    this.#url = url;
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#post = post;
  }

  /** The answer to a call. Each call has its own deadline and signal; the request ends when nobody waits for it. */
  async ask(call: BatchedCall, timeoutMs: number, signal?: CallSignal): Promise<NodeAnswer> {
    const batch = this.#openBatch();
    let cancel = (): void => undefined;
    let leave = (): void => undefined;
    const answered = new Promise<NodeAnswer>((take, fail) => {
      const waiting: Waiting = { call, timeoutMs, take, fail };
      leave = () => void batch.waiting.delete(waiting);
      cancel = this.#clock.after(timeoutMs + this.#waitMs, () =>
        fail(new NodeTimeout(`no answer from the node at ${this.#url} to ${String(call['method'])}`)),
      );
      batch.waiting.add(waiting);
    });
    if (batch.waiting.size === MOST_CALLS) this.#send(batch);
    try {
      return await unlessAborted(answered, signal);
    } finally {
      cancel();
      leave();
      if (batch.waiting.size === 0) batch.stop.abort();
    }
  }

  #openBatch(): Batch {
    if (this.#open !== undefined) return this.#open;
    const batch: Batch = { waiting: new Set(), stop: new AbortController() };
    this.#open = batch;
    this.#clock.after(this.#waitMs, () => {
      if (this.#open === batch) this.#send(batch);
    });
    return batch;
  }

  #send(batch: Batch): void {
    this.#open = undefined;
    const sent = [...batch.waiting];
    if (sent.length > 0) void this.#answer(sent, batch.stop.signal);
  }

  async #answer(sent: readonly Waiting[], signal: CallSignal): Promise<void> {
    const [only] = sent;
    const timeoutMs = Math.max(...sent.map((each) => each.timeoutMs));
    try {
      if (only !== undefined && sent.length === 1) {
        only.take(readAnswer(await this.#post(writeJson(only.call), timeoutMs, signal)));
        return;
      }
      const calls = sent.map(({ call }, id) => ({ ...call, id }));
      const answers = readAnswers(await this.#post(writeJson(calls), timeoutMs, signal), sent.length);
      for (const [index, answer] of answers.entries()) sent[index]?.take(answer);
    } catch (error) {
      for (const { fail } of sent) fail(error);
    }
  }
}
