import { systemClock } from '../base/clock.ts';
import { unlessAborted } from '../client/abort.ts';
import { NodeTimeout, readAnswer, unwrapResult } from '../client/answer.ts';
import type { CallTerms, NodeConnection } from '../client/connection.ts';
import { Fault } from '../base/fault.ts';
import { present } from '../base/assert.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { ownProcess } from '../jsonrpc/limits/request_source.ts';
import type { Dispatcher } from '../jsonrpc/dispatcher.ts';
import type { VerifierCall } from '../rpc/services.ts';

/** Calls of a node in this process: the same texts as over HTTP, without a socket that could outlive the node. */
export class DispatchedCalls implements NodeConnection {
  readonly #dispatcher: Dispatcher<VerifierCall>;
  readonly #endedBy: () => string | undefined;
  #lastId = 0;

  constructor(dispatcher: Dispatcher<VerifierCall>, endedBy: () => string | undefined) {
    this.#dispatcher = dispatcher;
    this.#endedBy = endedBy;
  }

  /** Answered when the node answers: nothing is lost on the way, so nothing is repeated. A test may delay answers. */
  async call(method: string, params: Json, { timeoutMs, signal }: CallTerms): Promise<Json> {
    signal?.throwIfAborted();
    const late = new AbortController();
    const cancel = systemClock.after(timeoutMs, () => late.abort(new NodeTimeout(`no answer to ${method}`)));
    try {
      return await unlessAborted(unlessAborted(this.#dispatched(method, params), late.signal), signal);
    } finally {
      cancel();
    }
  }

  async #dispatched(method: string, params: Json): Promise<Json> {
    const end = this.#endedBy();
    if (end !== undefined) throw new Fault('runtime', `${end}, and ${method} is not answered any more`);
    const body = Buffer.from(writeJson({ jsonrpc: '2.0', id: ++this.#lastId, method, params }));
    const answer = present(await this.#dispatcher.dispatch(body, ownProcess), 'an answer to a call with an id');
    return unwrapResult(readAnswer(Buffer.from(answer)).outcome);
  }

  close(): void {
    this.#lastId = 0;
  }
}
