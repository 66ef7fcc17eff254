import type { ProxyTrail } from './clients.ts';
import type { Header } from './origins.ts';
import { type Rejection, rejectionHeaders, statusTexts } from './request_guard.ts';
import type { HttpResponse } from './uws.ts';

/** The members of a request's head that its answer depends on. */
export interface Asked {
  readonly response: HttpResponse;
  /** The client has said that the connection ends with the answer. */
  readonly closes: boolean;
  /** The same, in a form that the binding does not notice. */
  readonly closesUnnoticed: boolean;
  /** It is the head alone that is wanted. */
  readonly isHead: boolean;
  /** For a web page that may read the answer. */
  readonly headers: readonly Header[];
  readonly trail: ProxyTrail | undefined;
  /** The head header of the answer. */
  readonly head?: string | undefined;
}

/** The connection is of no further use when the body was not wanted; its client is told so. */
export function sendRejection({ response, closes, isHead, headers }: Asked, rejection: Rejection): void {
  const { status, reason } = rejection;
  response.writeStatus(statusText(status)).writeHeader('Content-Type', 'text/plain');
  for (const [name, value] of rejectionHeaders(rejection)) response.writeHeader(name, value);
  // Where the binding closes, it says so itself.
  if (closes) response.writeHeader('Connection', 'close');
  writeHeaders(response, headers);
  if (status === 204) response.endWithoutBody();
  else if (isHead) response.endWithoutBody(Buffer.byteLength(reason), true);
  else response.end(reason, true);
}

/** Headers that only some answers have. */
export function writeHeaders(response: HttpResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) response.writeHeader(name, value);
}

/** The length as a header of our own: a length given to the binding leaves it waiting for the body. */
export function endHead(response: HttpResponse, body: string | Uint8Array): void {
  response.writeHeader('Content-Length', `${Buffer.byteLength(body)}`).endWithoutBody();
}

const IPV4_BYTES = 4;
/**
 * The last IPv4 address, as a number and as text: to make the text costs more than to serve a hot read, and the next
 * request has mostly the same.
 */
let last = { number: 0, text: '0.0.0.0' };

/** The other end of the connection. */
export function remoteAddress(response: HttpResponse): string {
  const address = new Uint8Array(response.getRemoteAddress());
  if (address.length !== IPV4_BYTES) return Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
  // A view for numbers of 32 bits would cost more than the address.
  const number = ((address[0] ?? 0) << 24) | ((address[1] ?? 0) << 16) | ((address[2] ?? 0) << 8) | (address[3] ?? 0);
  if (number !== last.number) last = { number, text: address.join('.') };
  return last.text;
}

/** The status line's number and words. */
export function statusText(status: number): string {
  return statusTexts[status] ?? `${status}`;
}
