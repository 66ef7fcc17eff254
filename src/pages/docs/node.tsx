import { requestText, type Value } from './calls.ts';

/** Methods that are answered more than once, over a WebSocket. */
const telling: ReadonlySet<string> = new Set([
  'subscribe_api.subscribe_blocks',
  'subscribe_api.subscribe_operations',
  'subscribe_api.subscribe_balances',
  'subscribe_api.custom_object_subscription',
  'alexandria_api.custom_object_subscription',
]);

/** The node that serves this page. */
export class Node {
  readonly #root: URL;
  #methods: Promise<ReadonlySet<string> | undefined> | undefined;

  /** @param root what the docs are a folder of: where calls go, behind whatever proxy */
  constructor(root: URL) {
    this.#root = root;
  }

  /**
   * Its address; undefined where the page doesn't come from one. The stroke behind a path stays: without it a proxy
   * answers by a redirect.
   */
  get url(): string | undefined {
    const { protocol, pathname, origin, href } = this.#root;
    if (!protocol.startsWith('http')) return undefined;
    return pathname === '/' ? origin : href;
  }

  isTold(method: string): boolean {
    return telling.has(method);
  }

  /** The text of the answer to a call. */
  async post(method: string, params: Value): Promise<string> {
    const body = requestText(method, params);
    const response = await fetch(this.#root, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    return await response.text();
  }

  /** Returns the node's methods; undefined when no node answers. */
  async methods(): Promise<ReadonlySet<string> | undefined> {
    return await (this.#methods ??= this.#askMethods());
  }

  async #askMethods(): Promise<ReadonlySet<string> | undefined> {
    if (this.url === undefined) return undefined;
    try {
      const { result } = parseList(await this.post('jsonrpc.get_methods', {}));
      return new Set(result);
    } catch {
      return undefined;
    }
  }

  /** Sends a request over a connection of its own, and hands on all that comes; returns what ends it. */
  listen(request: string, hear: (text: string) => void): () => void {
    const socket = new WebSocket(this.#root.href.replace(/^http/, 'ws'));
    socket.addEventListener('open', () => socket.send(request));
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => hear(data));
    socket.addEventListener('error', () => hear('"the connection was lost"'));
    return () => socket.close();
  }
}

function parseList(text: string): { readonly result: readonly string[] };
function parseList(text: string): unknown {
  const answer: unknown = JSON.parse(text);
  return answer;
}
