import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { LARGEST_ANSWER_BYTES, NodeSilent, readAnswer } from './answer.ts';
import type { NodeConnection } from './connection.ts';

/** Calls over HTTP, each a request of its own. */
export class HttpConnection implements NodeConnection {
  readonly url: string;
  #lastId = 0;
  readonly #closed = new AbortController();

  constructor(url: string) {
    this.url = url;
  }

  async call(method: string, params: Json, timeoutMs: number, repeatable: boolean): Promise<Json> {
    const body = writeJson({ jsonrpc: '2.0', id: ++this.#lastId, method, params });
    try {
      return readAnswer(await this.#post(body, timeoutMs)).outcome();
    } catch (error) {
      // A kept-alive connection that the node has closed meanwhile shows at the next use.
      if (!repeatable || !(error instanceof NodeSilent) || this.#closed.signal.aborted) throw error;
      return readAnswer(await this.#post(body, timeoutMs)).outcome();
    }
  }

  close(): void {
    this.#closed.abort();
  }

  async #post(body: string, timeoutMs: number): Promise<Uint8Array> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closed.signal]);
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        redirect: 'error',
        signal,
      });
      return await readBody(response);
    } catch (cause) {
      throw new NodeSilent(`no answer from the node at ${this.url}: ${reasonOf(cause)}`, !neverConnected(cause), cause);
    }
  }
}

async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const chunk of parts) {
    bytes += chunk.length;
    if (bytes > LARGEST_ANSWER_BYTES) throw new RangeError(`the answer has more than ${LARGEST_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `fetch` says "fetch failed" and keeps the reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause && typeof cause.code === 'string' && cause.message === '' ? cause.code : cause.message;
}

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return (
    cause instanceof Error &&
    'code' in cause &&
    (cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND' || cause.code === 'UND_ERR_CONNECT_TIMEOUT')
  );
}
