import { Agent, globalAgent, request } from 'node:http';
import { createRequire } from 'node:module';

/** Sends a body and gives the text of the answer. */
export type Transport = (body: string) => Promise<string>;

interface SomeResponse {
  text(): Promise<string>;
}
type SomeFetch = (url: string, options: object) => Promise<SomeResponse>;
interface Axios {
  post(url: string, body: string, options: object): Promise<{ readonly data: string }>;
}
interface OldSocket {
  on(event: 'open' | 'close' | 'error', listener: (reason: unknown) => void): void;
  on(event: 'message', listener: (text: unknown) => void): void;
  send(text: string): void;
}

/** The SDK's only header: no Content-Type of its own. */
const headers = { Accept: 'application/json, text/plain, */*' };
const method = 'post';

/**
 * Every way that the JavaScript SDKs of the lineage asked in, by the packages that they did it with; `packages` is the
 * package.json that has them.
 */
export function makeTransports(packages: string, url: string): ReadonlyMap<string, Transport> {
  const require = createRequire(packages);
  const fetch1: SomeFetch = require('node-fetch-1');
  const fetch2: SomeFetch = require('node-fetch-2');
  const cross1: SomeFetch = require('cross-fetch-1');
  const cross: SomeFetch = require('cross-fetch');
  const axios: Axios = require('axios');
  const OldWebSocket: new (url: string) => OldSocket = require('ws-3');
  const by =
    (fetchIt: SomeFetch, more: object = {}): Transport =>
    async (body) =>
      await (await fetchIt(url, { method, mode: 'cors', headers, body, ...more })).text();
  const post =
    (more: object): Transport =>
    async (body) =>
      (await axios.post(url, body, { responseType: 'text', transformResponse: (text: string) => text, ...more })).data;
  const agent = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });
  return new Map<string, Transport>([
    ['node-fetch 1 (Connection: close)', by(fetch1)],
    ['node-fetch 1, kept connections', by(fetch1, { agent: agent() })],
    ['node-fetch 2 (Connection: close)', by(fetch2)],
    ['node-fetch 2, kept connections', by(fetch2, { agent: agent() })],
    ['cross-fetch 1', by(cross1)],
    ['cross-fetch 4', by(cross)],
    ['fetch of Node', by(fetch)],
    ['axios', post({ headers })],
    ['axios, Connection: close', post({ headers: { ...headers, Connection: 'close' } })],
    ['http, Connection: close', byHttp(url, 'close')],
    ['http, Connection: close, agent of Node', byHttp(url, 'close', globalAgent)],
    ['http, keep-alive', byHttp(url, 'keep-alive', agent())],
    ['ws 3', overWebSocket(new OldWebSocket(url.replace('http', 'ws')))],
  ]);
}

/** By Node's own client; `false` is no agent at all; that of Node keeps connections since Node 19. */
export function byHttp(url: string, connection: string, agent: Agent | false = false, more: object = {}): Transport {
  return (body) =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: { ...headers, ...more, connection }, agent };
      const sent = request(url, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
        response.on('error', reject);
      });
      sent.on('error', reject);
      // HttpWebRequest of .NET sends no body before it is told to.
      if ('expect' in more) sent.on('continue', () => sent.end(body));
      else sent.end(body);
      if ('expect' in more) sent.flushHeaders();
    });
}

/** One call at a time: frames have no order. */
function overWebSocket(socket: OldSocket): Transport {
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('error', reject);
  });
  let hear: (text: string) => void = () => {};
  let fail: (reason: Error) => void = () => {};
  socket.on('message', (text) => hear(String(text)));
  socket.on('close', (code) => fail(new Error(`the WebSocket closed with ${String(code)}`)));
  return async (body) => {
    await opened;
    return await new Promise((resolve, reject) => {
      [hear, fail] = [resolve, reject];
      socket.send(body);
    });
  };
}
