import type { Limits } from '../../../src/jsonrpc/limits/limits.ts';

/**
 * The fate of a connection: another call on it is answered, the server closes it, or it answers nothing more and keeps
 * it.
 */
export type End = 'goes on' | 'ends' | 'is silent';

/** The answers, each as `status type persistence body`, with the length in place of a body that is not sent. */
export interface Heard {
  readonly hears: readonly string[];
  readonly end: End;
}

/** One conversation. */
export interface Exchange extends Heard {
  readonly what: string;
  readonly sends: string;
  readonly limits?: Partial<Limits>;
  /** Differences of uWebSockets.js. */
  readonly uws?: Partial<Heard> & { readonly because: string };
}

export const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';
export const echoed = '200 application/json keep {"jsonrpc":"2.0","result":{"list":[],"any":null},"id":1}';
export const wait = '{"jsonrpc":"2.0","id":7,"method":"test_api.wait"}';
export const waited = '200 application/json keep {"jsonrpc":"2.0","result":{"waited":true},"id":7}';
export const notice = '{"jsonrpc":"2.0","method":"test_api.echo"}';
export const refused = (status: number, reason: string): string => `${status} text/plain close ${reason}`;
export const badHead = refused(400, 'a request has one Host and one Content-Length, or a Transfer-Encoding');
export const usePost = refused(405, 'calls are sent by POST: send the JSON-RPC request as the body');
export const noPage = refused(404, 'no such page; calls are sent by POST to the address of the node');
export const unreadable = refused(400, 'this is no HTTP/1.1 request');
export const strangeHost = refused(403, 'this Host is not served here; a node serves those that --allowed-host names');
export const tooLarge = refused(413, 'a body has at most 1000 bytes');
export const ending = (answer: string): string => answer.replace(' keep ', ' close ');

/** A request: its first line, its header lines, its body. */
export function request(line: string, headers: readonly string[], body = ''): string {
  return [line, 'Host: localhost', ...headers, '', body].join('\r\n');
}

export function post(body: string, ...headers: readonly string[]): string {
  return request('POST / HTTP/1.1', [`Content-Length: ${Buffer.byteLength(body)}`, ...headers], body);
}

export function chunked(chunks: string, ...headers: readonly string[]): string {
  return request('POST / HTTP/1.1', ['Transfer-Encoding: chunked', ...headers], chunks);
}

export const parseError = `200 application/json keep ${JSON.stringify({
  jsonrpc: '2.0',
  error: {
    code: -32700,
    message: 'Parse error: the text ends at byte 0 where a value was expected',
    data: { at: 0, expected: 'a value', name: 'json_unfinished' },
  },
  id: null,
})}`;
export const well = '200 text/plain keep well';
export const syncing = '503 text/plain keep syncing';
export const longHead = refused(431, 'the head of the request is too long');
export const small = { bodyBytes: 1000 };

/** An answer of the parser of uWebSockets.js itself, as a page without a type; the server is not told. */
const page = (status: string, title: string): string => `${status} close <h1>${title}</h1>`;
export const badRequest = { hears: [page('400', 'Bad Request')], end: 'ends', because: 'its parser answers' } as const;
export const badVersion = {
  hears: [page('505', 'HTTP Version Not Supported')],
  end: 'ends',
  because:
    'its parser answers so to whatever is not HTTP/1.1 with a path; README tells which server takes HTTP/1.0 and whole URLs',
} as const;
export const tooManyHeaders = {
  hears: [page('431', 'Request Header Fields Too Large')],
  end: 'ends',
  because: 'it takes at most 50',
} as const;

export const size = echo.length.toString(16);
