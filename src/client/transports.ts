import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { unlessAborted, type CallSignal } from './abort.ts';
import { ConnectionClosed, NodeTimeout } from './answer.ts';
import { CallBatches } from './call_batches.ts';
import { isRepeatable } from './call_limits.ts';
import { askedChainId } from './chain_of_node.ts';
import { isHttpAddress, openConnection, requireNoUser } from './connect.ts';
import type { CallTerms, NodeConnection } from './connection.ts';
import type { HttpConnectionOptions, HttpOptions } from './http_options.ts';
import type { SeenHead } from './seen_head.ts';
import { SeveralNodes } from './several_nodes.ts';

const refuse = refusals({
  bad_batch_wait: 'batch.waitMs: a time of 0 to {most} milliseconds expected, got {given}',
});

/** A call that waits longer for others is late itself. */
const MOST_WAIT_MS = 10_000;

/** A way to a node. `connect({ transport })` opens it. */
export interface Transport {
  /** The address as errors name it. */
  readonly url: string;
  /** A connection that makes its calls by this clock, and tells the node which head was seen. */
  open(clock: Clock, head?: SeenHead): NodeConnection;
}

/** A call as it goes to a node. */
export interface NodeRequest {
  /** `group.method`. */
  readonly method: string;
  readonly params: Json;
  /** Time limit for the answer. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: CallSignal | undefined;
}

/** A function around each call: it may change the request, the result or the error, and decides whether `next` runs. */
export type Middleware = (request: NodeRequest, next: (request: NodeRequest) => Promise<Json>) => Promise<Json>;

/** The node at an address of HTTP. */
export function http(url: string, { batch, ...requests }: HttpOptions = {}): Transport {
  if (!isHttpAddress(url)) throw new Fault('configuration', `${url}: an address with http:// or https:// expected`);
  const { waitMs = 0 } = batch ?? {};
  if (!(waitMs >= 0 && waitMs <= MOST_WAIT_MS)) refuse.bad_batch_wait({ most: MOST_WAIT_MS, given: String(waitMs) });
  const options: HttpConnectionOptions =
    batch === undefined
      ? requests
      : { ...requests, batches: (clock, post) => new CallBatches(url, clock, waitMs, post) };
  return { url, open: (clock, head) => openConnection(url, clock, head, options) };
}

/** The node at an address of a WebSocket. */
export function webSocket(url: string): Transport {
  requireNoUser(url);
  if (!/^wss?:/i.test(url)) throw new Fault('configuration', `${url}: an address with ws:// or wss:// expected`);
  return { url, open: (clock, head) => openConnection(url, clock, head) };
}

/** The node of this machine behind a Unix socket, by WebSocket. On Node only. */
export function unixSocket(path: string): Transport {
  const url = `ws+unix:${path}`;
  return { url, open: (clock, head) => openConnection(url, clock, head) };
}

/** Several nodes of one chain: the next one is asked when a node falls silent. */
export function fallback(transports: readonly Transport[]): Transport {
  const [first] = transports;
  if (first === undefined) throw new Fault('configuration', 'at least one address of a node is needed');
  return {
    url: transports.map(({ url }) => url).join(', '),
    open: (clock, head) => {
      if (transports.length === 1) return first.open(clock, head);
      const connections = transports.map((each) => ({ url: each.url, connection: each.open(clock, head) }));
      let common: string | undefined;
      return new SeveralNodes(connections, async (connection, at) => {
        const chainId = await askedChainId(connection);
        common ??= chainId;
        if (chainId !== common) throw new Fault('configuration', `the node at ${at} is on another chain, ${chainId}`);
      });
    },
  };
}

/** Calls by a function of your own, which resolves to the result of a call, and throws `NodeRefusal` for an error. */
export function custom(request: (request: NodeRequest) => Promise<Json>): Transport {
  const url = 'custom';
  return { url, open: (clock) => new CustomConnection(url, clock, request) };
}

/** A transport with a function around each of its calls. Subscriptions are calls; their notices are none. */
export function withMiddleware(transport: Transport, middleware: Middleware): Transport {
  return {
    url: transport.url,
    open: (clock, head) => {
      const inner = transport.open(clock, head);
      return {
        call: async (method, params, { timeoutMs, repeatable, signal }) =>
          await middleware({ method, params, timeoutMs, signal }, async (request) => {
            // A call of another method changes something, or doesn't, by its own name.
            const isOther = request.method !== method;
            const terms = { ...request, repeatable: isOther ? isRepeatable(request.method) : repeatable };
            return await inner.call(request.method, request.params, terms);
          }),
        close: () => inner.close(),
        ...(inner.listen === undefined ? {} : { listen: (listener) => inner.listen?.(listener) }),
      };
    },
  };
}

/** The transport for an address, or for several. */
export function addressTransport(address: string | readonly string[]): Transport {
  if (typeof address === 'string') return { url: address, open: (clock, head) => openConnection(address, clock, head) };
  return fallback(address.map((each) => addressTransport(each)));
}

/** Calls by a function. */
class CustomConnection implements NodeConnection {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #request: (request: NodeRequest) => Promise<Json>;
  readonly #closed = new AbortController();

  constructor(url: string, clock: Clock, request: (request: NodeRequest) => Promise<Json>) {
    this.#url = url;
    this.#clock = clock;
    this.#request = request;
  }

  async call(method: string, params: Json, { timeoutMs, signal }: CallTerms): Promise<Json> {
    signal?.throwIfAborted();
    if (this.#closed.signal.aborted) throw new ConnectionClosed(this.#url);
    const stop = new AbortController();
    const end = (reason: unknown): void => stop.abort(reason);
    const closed = (): void => end(new ConnectionClosed(this.#url, true));
    const aborted = (): void => end(signal?.reason);
    const cancel = this.#clock.after(timeoutMs, () => end(new NodeTimeout(`no answer to ${method}`)));
    this.#closed.signal.addEventListener('abort', closed);
    signal?.addEventListener('abort', aborted);
    try {
      return await unlessAborted(this.#request({ method, params, timeoutMs, signal: stop.signal }), stop.signal);
    } finally {
      cancel();
      this.#closed.signal.removeEventListener('abort', closed);
      signal?.removeEventListener('abort', aborted);
    }
  }

  close(): void {
    this.#closed.abort();
  }
}
