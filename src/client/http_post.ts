import type { IncomingMessage, RequestOptions } from 'node:http';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import type { RequestHeaders } from './http_options.ts';
import { joined, NeverSent, requireRoom, type HttpAnswer } from './http_answer.ts';
import { parseUnixPath } from './unix_address.ts';

// The runtime's own fetch takes a tenth of a second of CPU to load, as long as all else that a command does: the
// package pharos-client, which is for browsers too, takes portable/http_post.ts instead.

/** Nobody is there who accepts no connection for so long. */
const CONNECT_MS = 10_000;

/**
 * Posts JSON; what is answered. Rejects with the reason of `signal` when that ends it, and with NeverSent when nobody
 * was reached.
 */
export async function postJson(
  url: string,
  body: string | Uint8Array,
  signal: AbortSignal,
  headers: RequestHeaders = {},
): Promise<HttpAnswer> {
  try {
    const response = await awaitResponse(postTarget(url), body, signal, headers);
    const { statusCode: status = 0 } = response;
    return { status, contentType: response.headers['content-type'] ?? '', body: await readBody(await plain(response)) };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Returns the target of a request: an address, or a Unix socket. */
function postTarget(address: string): URL | RequestOptions {
  const socketPath = parseUnixPath(address);
  return socketPath === undefined ? new URL(address) : { socketPath, path: '/' };
}

async function awaitResponse(
  target: URL | RequestOptions,
  body: string | Uint8Array,
  signal: AbortSignal,
  givenHeaders: RequestHeaders,
): Promise<IncomingMessage> {
  const isTls = target.protocol === 'https:';
  const send = isTls ? (await import('node:https')).request : request;
  const headers = {
    ...givenHeaders,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Accept-Encoding': 'gzip, deflate, br',
  };
  return await new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, signal };
    const sent = target instanceof URL ? send(target, options, resolve) : send({ ...target, ...options }, resolve);
    let isConnected = false;
    sent.once('socket', (socket) => {
      isConnected = !socket.connecting;
      if (isConnected) return;
      const timer = setTimeout(
        () => sent.destroy(new Error(`no connection within ${CONNECT_MS / 1000} s`)),
        CONNECT_MS,
      );
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        isConnected = true;
        clearTimeout(timer);
      });
      socket.once('close', () => clearTimeout(timer));
    });
    sent.on('error', (error) => reject(isConnected ? error : new NeverSent(error.message, { cause: error })));
    sent.end(body);
  });
}

/** The body of a response as it was before it was compressed for the way. */
async function plain(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers['content-encoding'];
  if (encoding === undefined || !['gzip', 'deflate', 'br'].includes(encoding)) return response;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  const unpacked = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  response.once('error', (error) => unpacked.destroy(error));
  return response.pipe(unpacked);
}

async function readBody(stream: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop ends the stream.
  for await (const chunk of decompress(stream)) {
    length += chunk.length;
    requireRoom(length);
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

function decompress(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return stream;
}
