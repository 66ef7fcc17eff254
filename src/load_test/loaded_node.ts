import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import { errorRecovery } from '../base/recovery.ts';
import { Refusal } from '../base/refusal.ts';
import { NodeSilent, type Outcome } from '../client/answer.ts';
import { connectOverHttp } from '../client/connect.ts';
import type { HttpConnection } from '../client/http_connection.ts';
import type { Json } from '../codec/json.ts';

/** A node under load responds late, and that latency is what is measured. */
const ANSWER_MS = 300_000;
/** A call that time may cure is repeated for this long. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 500;

/** The node under load: a failure to answer a call counts as the outcome of that call. */
export class LoadedNode {
  readonly url: URL;
  readonly #connection: HttpConnection;

  /** Throws Fault `configuration` when the text isn't an HTTP URL. */
  constructor(url: string) {
    this.#connection = connectOverHttp(url);
    this.url = new URL(url);
  }

  /**
   * The result of one read-only call, asked again while time cures what the node says; Fault `runtime` when it refuses
   * it or can't be reached.
   */
  async call(method: string, params: Json): Promise<Json> {
    for (const endMs = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS))
      try {
        return await this.#connection.call(method, params, { timeoutMs: ANSWER_MS, repeatable: true });
      } catch (error) {
        if (errorRecovery(error) === 'wait' && performance.now() < endMs) continue;
        if (error instanceof Refusal) throw new Fault('runtime', `${this.url.href} ${method}: ${error.message}`, error);
        throw error;
      }
  }

  /** The outcomes of several calls of one method, sent as one batch, in the order of the calls. */
  async callMany(method: string, params: readonly Json[]): Promise<Outcome[]> {
    return await answered(this.#connection.callMany(method, params, ANSWER_MS), params.length);
  }

  /** The outcomes of a batch whose calls have the ids 0, 1, 2, …, in that order. */
  async post(batch: string | Uint8Array<ArrayBuffer>, calls: number): Promise<Outcome[]> {
    return await answered(this.#connection.post(batch, calls, ANSWER_MS), calls);
  }
}

async function answered(outcomes: Promise<Outcome[]>, calls: number): Promise<Outcome[]> {
  try {
    return await outcomes;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const refusal = new Refusal(error instanceof NodeSilent ? 'connection' : 'no_answer', error.message);
    return Array.from({ length: calls }, () => ({ refusal }));
  }
}
