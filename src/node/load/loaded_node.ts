import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { NodeSilent, type Outcome } from '../../client/answer.ts';
import { connectOverHttp } from '../../client/connect.ts';
import type { HttpConnection } from '../../client/http_connection.ts';
import type { Json } from '../../codec/json.ts';

/** A node under load answers late, and how late is what is measured. */
const ANSWER_MS = 300_000;

/** The node that is loaded: whatever keeps it from answering a call is what became of that call. */
export class LoadedNode {
  readonly url: URL;
  readonly #connection: HttpConnection;

  /** Fault `configuration` when the text is no address of HTTP. */
  constructor(url: string) {
    this.#connection = connectOverHttp(url);
    this.url = new URL(url);
  }

  /** The result of one call that only reads; Fault `runtime` when the node refuses it or can't be reached. */
  async call(method: string, params: Json): Promise<Json> {
    try {
      return await this.#connection.call(method, params, ANSWER_MS, true);
    } catch (error) {
      if (error instanceof Refusal) throw new Fault('runtime', `${this.url.href} ${method}: ${error.message}`, error);
      throw error;
    }
  }

  /** What becomes of several calls of one method, in their order, sent as one batch. */
  async callMany(method: string, params: readonly Json[]): Promise<Outcome[]> {
    return await answered(this.#connection.callMany(method, params, ANSWER_MS), params.length);
  }

  /** What becomes of a batch whose calls have the ids 0, 1, 2, …, in their order. */
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
