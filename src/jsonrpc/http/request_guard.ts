import { isIP } from 'node:net';
import type { HttpServerOptions } from './http_server.ts';
import { isLoopback } from './loopback.ts';
import { Origins, type Header } from './origins.ts';

/** The parts of a request head that decisions depend on. Header values are as received, '' when absent. */
export interface Head {
  /** Lower case. */
  readonly method: string;
  readonly host: string;
  readonly origin: string;
  readonly contentType: string;
  readonly contentLength: string;
  readonly contentEncoding: string;
  readonly transferEncoding: string;
  /** Length of all header names and values. */
  readonly headBytes: number;
  /** More than one Content-Length or Host: a proxy in front may have used a different one than we do. */
  readonly ambiguous: boolean;
}

/** The decision on a request: read its body, return a page, or reject it. */
export type Verdict = { readonly kind: 'call' } | { readonly kind: 'page' } | Rejection;

/** A status and its message. */
export interface Rejection {
  readonly kind: 'rejection';
  readonly status: number;
  readonly reason: string;
  /** It is the coding of the body that is not taken. */
  readonly isCoded?: boolean;
}

const call: Verdict = { kind: 'call' };
const page: Verdict = { kind: 'page' };
const preflight = rejection(204, '');
const badLength = rejection(400, 'a request has one Host and one Content-Length, or a Transfer-Encoding');
const badCoding = rejection(400, 'the only Transfer-Encoding is chunked');
export const unreadable = rejection(400, 'this is no HTTP/1.1 request');
export const longHead = rejection(431, 'the head of the request is too long');
const strangeHost = rejection(403, 'this Host is not served here; a node serves those that --allowed-host names');
const strangeOrigin = rejection(403, 'cross-origin requests are refused unless --http-cors lists the origin');
export const noToken = rejection(
  401,
  'a call shows the token, as "Authorization: Bearer TOKEN" or as ?token=TOKEN in the URL',
);
const badType = rejection(415, 'the body must be JSON');
const usePost = rejection(405, 'calls are sent by POST: send the JSON-RPC request as the body');
const notFound = rejection(404, 'no such page; calls are sent by POST to the address of the node');
export const tooSlow = rejection(408, 'the body came too slowly');
export const tooMany = rejection(429, 'too many connections from this address');
export const tooMuch = rejection(429, 'too many bytes of requests that come in parts; send fewer of them at once');
export const closing = rejection(503, 'this node is closing');

/**
 * A compressed body is not taken: a few bytes of it could become as many as a body may have, before anything of it is
 * known.
 */
function codedBody(coding: string): Rejection {
  const shown = /^[\w.,; =*-]{1,32}$/.test(coding) ? `Content-Encoding "${coding}"` : 'a Content-Encoding';
  return { ...rejection(415, `bodies with ${shown} are not taken; send the JSON as it is`), isCoded: true };
}

/** Besides JSON: what clients of the lineage send, and what a browser sends without a preflight request. */
const acceptedTypes: ReadonlySet<string> = new Set([
  '',
  'application/json',
  'application/json-rpc',
  'text/plain',
  'application/x-www-form-urlencoded',
]);
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Decides by the head alone which requests are accepted; both servers use it, so both behave the same. */
export class RequestGuard {
  readonly #headBytes: number;
  readonly #bodyBytes: number;
  readonly #origins: Origins;
  readonly #hosts: ReadonlySet<string>;
  readonly #onLoopback: boolean;
  /** The accepted `Host` seen last: nearly all requests carry the same. */
  #knownHost = '';

  constructor({
    host,
    limits,
    allowedHosts,
    corsOrigins,
  }: Pick<HttpServerOptions, 'host' | 'limits' | 'allowedHosts' | 'corsOrigins'>) {
    this.#headBytes = limits.headBytes;
    this.#bodyBytes = limits.bodyBytes;
    this.#origins = new Origins(corsOrigins);
    this.#hosts = new Set(allowedHosts.map((name) => name.toLowerCase()));
    this.#onLoopback = isLoopback(host);
  }

  /** A plain HTTP request. */
  receive(head: Head): Verdict {
    if (head.headBytes > this.#headBytes) return longHead;
    if (head.ambiguous) return badLength;
    const bodyBytes = parseContentLength(head.contentLength);
    if (bodyBytes < 0 || (head.contentLength !== '' && head.transferEncoding !== '')) return badLength;
    if (head.transferEncoding !== '' && head.transferEncoding.toLowerCase() !== 'chunked') return badCoding;
    if (!this.#servesHost(head.host)) return strangeHost;
    if (head.origin !== '' && !this.#origins.serves(head.origin, head.host)) return strangeOrigin;
    if ((head.method === 'get' || head.method === 'head') && !hasBody(head)) return page;
    if (head.method === 'options' && this.#origins.areServed) return preflight;
    // One known client of the lineage sends its calls as GET with a body.
    if (head.method !== 'post' && head.method !== 'get') return usePost;
    if (!isAcceptedType(head.contentType)) return badType;
    if (head.contentEncoding !== '' && head.contentEncoding.toLowerCase() !== 'identity')
      return codedBody(head.contentEncoding);
    return bodyBytes > this.#bodyBytes ? this.tooLarge() : call;
  }

  /** A request to become a WebSocket. Browsers do not guard these by CORS, so the Origin is checked. */
  receiveUpgrade(host: string, origin: string): Verdict {
    if (!this.#servesHost(host)) return strangeHost;
    return this.#origins.serves(origin, host) ? call : strangeOrigin;
  }

  /** The headers of every answer to a page of that Origin, rejections included. */
  headersFor(origin: string): readonly Header[] {
    return this.#origins.headersFor(origin);
  }

  tooLarge(): Rejection {
    return rejection(413, `a body has at most ${this.#bodyBytes} bytes`);
  }

  /** A page that does not exist: on the path of the calls, the method is what is wrong. */
  noPage(path: string): Rejection {
    return path === '/' ? usePost : notFound;
  }

  /**
   * Against DNS rebinding: a page loaded under a foreign name that resolves to this server sends that name in `Host`.
   */
  #servesHost(host: string): boolean {
    if (host === this.#knownHost && host !== '') return true;
    const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
    const bare = name.replace(/^\[(.*)\]$/, '$1');
    // A bare address is no name that can be rebound; beyond loopback it is how a node without a name is reached.
    const serves =
      loopbackNames.has(name) ||
      this.#hosts.has(name) ||
      this.#hosts.has('*') ||
      (!this.#onLoopback && isIP(bare) !== 0);
    if (serves) this.#knownHost = host;
    return serves;
  }
}

/** Returns whether something follows the head. */
export function hasBody({
  contentLength,
  transferEncoding,
}: Pick<Head, 'contentLength' | 'transferEncoding'>): boolean {
  return transferEncoding !== '' || parseContentLength(contentLength) !== 0;
}

/** More digits would not be exact as a number. */
const lengthDigits = 15;

/**
 * The value of a Content-Length, 0 when absent, −1 when it is not a number; straight-line code, because every request
 * has one.
 */
function parseContentLength(contentLength: string): number {
  if (contentLength.length > lengthDigits) return -1;
  let length = 0;
  for (let at = 0; at < contentLength.length; at++) {
    const digit = contentLength.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
}

function isAcceptedType(contentType: string): boolean {
  if (contentType === 'application/json' || contentType === '') return true;
  const semicolon = contentType.indexOf(';');
  return acceptedTypes.has((semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase());
}

function rejection(status: number, reason: string): Rejection {
  return { kind: 'rejection', status, reason };
}

/** The text that follows the status number; some servers need it spelled out. */
export const statusTexts: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  304: '304 Not Modified',
  308: '308 Permanent Redirect',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  408: '408 Request Timeout',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  431: '431 Request Header Fields Too Large',
  503: '503 Service Unavailable',
};

/**
 * When it is worth another try, in seconds: the next connection may find room, and a node that closes is mostly being
 * restarted.
 */
const retryAfterSeconds: Readonly<Record<number, string>> = { 429: '1', 503: '5' };

/** The headers that only some rejections have. */
export function rejectionHeaders({ status, isCoded = false }: Rejection): readonly Header[] {
  // Tells clients that the type was right (RFC 9110, 12.5.3).
  if (isCoded) return [['Accept-Encoding', 'identity']];
  const seconds = retryAfterSeconds[status];
  if (seconds !== undefined) return [['Retry-After', seconds]];
  if (status === 401) return [['WWW-Authenticate', 'Bearer']];
  return status === 405 ? [['Allow', 'POST']] : [];
}
