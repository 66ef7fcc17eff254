import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { LARGEST_ANSWER_BYTES, NodeSilent, NodeTimeout, readAnswer, readBatch, resultOf, tooLarge, type Outcome } from './answer.ts';
import { isRepeatable, MAY_BE_DONE } from './call_limits.ts';
import type { NodeConnection } from './connection.ts';
import { wantedHead, type SeenHead } from './seen_head.ts';

/** Calls over HTTP, each in its own request. */
export class HttpConnection implements NodeConnection {
  readonly #url: string;
  #lastId = 0;
  readonly #closed = new AbortController();

  readonly #head: SeenHead | undefined;

  /** Calls ask for the head that was seen, where there is one to note it. */
  constructor(url: string, head?: SeenHead) {
    this.#url = url;
    this.#head = head;
  }

  async call(method: string, params: Json, timeoutMs: number, repeatable: boolean): Promise<Json> {
    const body = writeJson({ jsonrpc: '2.0', id: ++this.#lastId, ...wantedHead(this.#head), method, params });
    try {
      return await this.#ask(body, timeoutMs);
    } catch (error) {
      if (error instanceof NodeTimeout && !isRepeatable(method))
        throw new NodeTimeout(`${error.message} to ${method}${MAY_BE_DONE}`, error.cause);
      // That the node has closed a kept-alive connection is only noticed at its next use.
      const isWorthAnother = error instanceof NodeSilent && !(error instanceof NodeTimeout) && !this.#closed.signal.aborted;
      if (!repeatable || !isWorthAnother) throw error;
      return await this.#ask(body, timeoutMs);
    }
  }

  async #ask(body: string, timeoutMs: number): Promise<Json> {
    const { outcome, head } = readAnswer(await this.#post(body, timeoutMs));
    this.#head?.note(head);
    return resultOf(outcome);
  }

  /** The outcome of each of several calls of one method, sent as one batch. Throws as `call` does. */
  async callMany(method: string, params: readonly Json[], timeoutMs: number): Promise<Outcome[]> {
    const calls = params.map((each, id) => ({ jsonrpc: '2.0', id, method, params: each }));
    return await this.post(writeJson(calls), calls.length, timeoutMs);
  }

  /** The same for an already encoded batch; the ids of its calls must be 0, 1, 2, … */
  async post(batch: string | Uint8Array<ArrayBuffer>, calls: number, timeoutMs: number): Promise<Outcome[]> {
    return readBatch(await this.#post(batch, timeoutMs), calls);
  }

  close(): void {
    this.#closed.abort();
  }

  async #post(body: string | Uint8Array<ArrayBuffer>, timeoutMs: number): Promise<Uint8Array> {
    const signal = AbortSignal.any([AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs))), this.#closed.signal]);
    const { response, bytes } = await this.#fetch(body, signal);
    if (response.ok || response.headers.get('content-type') === 'application/json') return bytes;
    if (response.status === TOO_LARGE) throw tooLarge(this.#url, body.length, shown(bytes));
    // The body says why: the node refuses such a request, or a proxy reports that the node took too long.
    const said = `HTTP ${response.status} ${shown(bytes)}`.trim();
    throw new NodeSilent(`no answer from the node at ${this.#url}: ${said}`, response.status >= SERVER_ERRORS);
  }

  async #fetch(
    body: string | Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<{ readonly response: Response; readonly bytes: Uint8Array }> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        redirect: 'error',
        signal,
      });
      return { response, bytes: await readBody(response) };
    } catch (cause) {
      const said = `no answer from the node at ${this.#url}: ${reasonOf(cause)}`;
      if (cause instanceof Error && cause.name === 'TimeoutError') throw new NodeTimeout(said, cause);
      throw new NodeSilent(said, !neverConnected(cause), cause);
    }
  }
}

/** From this status on, it is unknown whether the request was executed. */
const SERVER_ERRORS = 500;
const TOO_LARGE = 413;
const MOST_SHOWN = 100;

/** The beginning of a body, made printable for an error message. */
function shown(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, MOST_SHOWN)).replaceAll(/[^!-~]+/g, ' ');
}

interface ChunkReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

async function readBody({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not every browser iterates streams.
  const reader: ChunkReader | undefined = body?.getReader();
  for (let chunk = (await reader?.read())?.value; chunk !== undefined; chunk = (await reader?.read())?.value) {
    length += chunk.length;
    if (length > LARGEST_ANSWER_BYTES) {
      void reader?.cancel();
      throw new RangeError(`the answer has more than ${LARGEST_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** `fetch` only says "fetch failed" and has the reason in its cause. */
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
