import type { Clock } from '../base/clock.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { CallSignal } from './abort.ts';
import {
  behindAttempt,
  ConnectionClosed,
  NodeSilent,
  NodeTimeout,
  readAnswer,
  readBatch,
  unwrapResult,
  type Outcome,
} from './answer.ts';
import { tooLarge } from './node_refusal.ts';
import type { CallBatches } from './call_batches.ts';
import { isRepeatable, MAY_BE_DONE } from './call_limits.ts';
import type { CallTerms, NodeConnection } from './connection.ts';
import { fetchPost } from './fetch_post.ts';
import { NeverSent, type HttpAnswer } from './http_answer.ts';
import type { Fetch, HttpConnectionOptions, RequestHeaders } from './http_options.ts';
import { postJson } from './http_post.ts';
import { wantedHead, type SeenHead } from './seen_head.ts';

/** Calls over HTTP, each in its own request, or reads in batches. */
export class HttpConnection implements NodeConnection {
  readonly #url: string;
  #lastId = 0;
  readonly #closed = new AbortController();
  readonly #head: SeenHead | undefined;
  readonly #headers: RequestHeaders;
  readonly #fetch: Fetch | undefined;
  readonly #batches: CallBatches | undefined;

  /** Calls ask for the head that was seen, where there is one to note it. */
  constructor(
    url: string,
    clock: Clock,
    head?: SeenHead,
    { fetch, headers = {}, batches }: HttpConnectionOptions = {},
  ) {
    this.#url = url;
    this.#head = head;
    this.#headers = headers;
    this.#fetch = fetch;
    this.#batches = batches?.(clock, async (body, timeoutMs, signal) => await this.#post(body, timeoutMs, signal));
  }

  async call(method: string, params: Json, { timeoutMs, repeatable, signal }: CallTerms): Promise<Json> {
    signal?.throwIfAborted();
    // A call that changes something waits for no other, and its fate depends on none, also where it may be sent again.
    const batches = repeatable && isRepeatable(method) ? this.#batches : undefined;
    const id = batches === undefined ? ++this.#lastId : 0;
    const call = { jsonrpc: '2.0', id, ...wantedHead(this.#head), method, params };
    const ask = async (): Promise<Json> => {
      const answer =
        batches === undefined
          ? readAnswer(await this.#post(writeJson(call), timeoutMs, signal))
          : await batches.ask(call, timeoutMs, signal);
      this.#head?.note(answer.head);
      return unwrapResult(answer.outcome);
    };
    try {
      return await ask();
    } catch (error) {
      if (error instanceof NodeTimeout && !isRepeatable(method))
        throw new NodeTimeout(`${error.message} to ${method}${MAY_BE_DONE}`, error.cause);
      // That the node has closed a kept-alive connection is only noticed at its next use.
      const isWorthAnother =
        error instanceof NodeSilent && !(error instanceof NodeTimeout) && !(error instanceof ConnectionClosed);
      if (!repeatable || !isWorthAnother) throw error;
      return await ask().catch((later: unknown) => {
        throw behindAttempt(later, error.wasSent);
      });
    }
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

  async #post(body: string | Uint8Array<ArrayBuffer>, timeoutMs: number, callers?: CallSignal): Promise<Uint8Array> {
    const { status, contentType, body: bytes } = await this.#posted(body, timeoutMs, callers);
    if ((status >= 200 && status < 300) || contentType === 'application/json') return bytes;
    if (status === TOO_LARGE) throw tooLarge(this.#url, body.length, shown(bytes));
    // The body says why: the node refuses such a request, or a proxy reports that the node took too long.
    const said = `HTTP ${status} ${shown(bytes)}`.trim();
    throw new NodeSilent(`no answer from the node at ${this.#url}: ${said}`, status >= SERVER_ERRORS);
  }

  async #posted(
    body: string | Uint8Array<ArrayBuffer>,
    timeoutMs: number,
    callers: CallSignal | undefined,
  ): Promise<HttpAnswer> {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
    const { signal, release } = followed(callers, [timeout, this.#closed.signal]);
    try {
      return await (this.#fetch === undefined
        ? postJson(this.#url, body, signal, this.#headers)
        : fetchPost(this.#fetch, this.#url, body, signal, this.#headers));
    } catch (cause) {
      callers?.throwIfAborted();
      const wasSent = !(cause instanceof NeverSent);
      if (this.#closed.signal.aborted) throw new ConnectionClosed(this.#url, wasSent, cause);
      const said = `no answer from the node at ${this.#url}: ${failureReason(cause)}`;
      if (cause instanceof Error && cause.name === 'TimeoutError') throw new NodeTimeout(said, cause);
      throw new NodeSilent(said, wasSent, cause);
    } finally {
      release();
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

/** Returns the reason of a failure: when several addresses of a name were tried, only the system's code tells it. */
function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause && typeof cause.code === 'string' && cause.message === '' ? cause.code : cause.message;
}

/** A signal of the runtime that the given one aborts too, with its reason; `release` ends that. */
function followed(
  signal: CallSignal | undefined,
  others: readonly AbortSignal[],
): { readonly signal: AbortSignal; readonly release: () => void } {
  if (signal === undefined) return { signal: AbortSignal.any([...others]), release: () => undefined };
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return {
    signal: AbortSignal.any([...others, own.signal]),
    release: () => signal.removeEventListener('abort', abort),
  };
}
