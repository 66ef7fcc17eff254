import { LARGEST_ANSWER_BYTES } from './answer.ts';

/** A WebSocket under way. */
export interface OpenedSocket {
  send(text: string): void;
  close(): void;
  /** Ends the connection without waiting for the other side, where that can be done. */
  drop(): void;
}

/**
 * The events of a socket. A text comes as its bytes where the runtime has them; binary messages, which nodes don't
 * send, as an empty text.
 */
export interface SocketEvents {
  opened(): void;
  message(text: string | Uint8Array): void;
  failed(error: unknown): void;
  /** `code` is that of the protocol, 1006 where the connection has just ended. */
  /** `reason` is what the other side said, mostly nothing. */
  closed(code: number, reason: string): void;
}

/**
 * Opens a WebSocket: on Node that of the package ws, elsewhere the runtime's own. Node 20 has none, and that of later
 * ones ends the connection without a reason when a text is no UTF-8, where ws gives its bytes.
 */
export async function openWebSocket(url: string, events: SocketEvents): Promise<OpenedSocket> {
  if (typeof globalThis.WebSocket === 'function' && !isNode()) return openOwn(url, events);
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(url, {
    maxPayload: LARGEST_ANSWER_BYTES,
    perMessageDeflate: false,
    skipUTF8Validation: true,
  });
  socket.on('open', () => events.opened());
  socket.on('message', (data: Buffer, isBinary) => events.message(isBinary ? '' : data));
  socket.on('error', (error) => events.failed(error));
  socket.on('close', (code, reason) => events.closed(code, reason.toString()));
  return { send: (text) => socket.send(text), close: () => socket.close(), drop: () => socket.terminate() };
}

/** Node 20 has no `navigator`, and no WebSocket either. */
function isNode(): boolean {
  const found: unknown = Reflect.get(globalThis, 'navigator');
  if (typeof found !== 'object' || found === null || !('userAgent' in found)) return false;
  return typeof found.userAgent === 'string' && found.userAgent.startsWith('Node.js');
}

function openOwn(url: string, events: SocketEvents): OpenedSocket {
  const socket = new globalThis.WebSocket(url);
  socket.addEventListener('open', () => events.opened());
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) =>
    events.message(typeof data === 'string' ? data : ''),
  );
  socket.addEventListener('error', (event) => events.failed('error' in event ? event.error : undefined));
  socket.addEventListener('close', ({ code, reason }) => events.closed(code, reason));
  return { send: (text) => socket.send(text), close: () => socket.close(), drop: () => socket.close() };
}
