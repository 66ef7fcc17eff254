import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { textFrame, upgradeRequest } from './websocket_frames.ts';

/** One byte in so many milliseconds. */
const BYTE_MS = 1000;
/** Of the state of a connection in /proc/net/tcp. */
const ESTABLISHED = '01';
/** Calls of a WebSocket that reads slowly, one with each byte: more than may wait for it unsent. */
const CALLS = 8;

/** The slow behaviour of a peer, and how the node ends it. */
export interface SlowPeer {
  readonly said: string;
  /** After how many milliseconds the node let it go; undefined while it holds it. */
  readonly droppedMs: () => number | undefined;
  /** The first line of what it was told then, where it reads that. */
  readonly told: () => string;
  end(): void;
}

/**
 * Peers that read and send a byte a second, over HTTP and over WebSockets; `body` is a batch with an answer of some
 * megabytes.
 */
export function slowPeers(port: number, body: string): SlowPeer[] {
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const frame = textFrame(body);
  const upgrade = upgradeRequest(`127.0.0.1:${port}`);
  return [
    peer('reading an answer over HTTP', port, request, readByte),
    peer('reading answers over a WebSocket', port, upgrade, (socket, turn) => {
      readByte(socket);
      if (turn < CALLS) socket.write(frame);
    }),
    peer(
      'sending a body over HTTP',
      port,
      request.slice(0, -body.length),
      (socket, turn) => socket.write(body.slice(turn, turn + 1)),
      true,
    ),
    peer('sending a frame over a WebSocket', port, upgrade, (socket, turn) =>
      socket.write(frame.subarray(turn, turn + 1)),
    ),
  ];
}

function readByte(socket: Socket): void {
  socket.read(1);
}

function peer(
  said: string,
  port: number,
  first: string,
  turn: (socket: Socket, count: number) => void,
  reads = false,
): SlowPeer {
  const socket = connect(port, '127.0.0.1');
  const startedMs = performance.now();
  let droppedMs: number | undefined;
  let count = 0;
  socket.on('connect', () => socket.write(first));
  let told = '';
  if (reads) socket.on('data', (chunk) => (told += chunk.toString()));
  // Nothing is read but what is asked for; a listener keeps the socket from flowing.
  else socket.on('readable', () => {});
  socket.on('error', () => {});
  const timer = setInterval(() => {
    if (droppedMs === undefined && !isHeld(port, socket.localPort)) droppedMs = performance.now() - startedMs;
    if (droppedMs === undefined) turn(socket, count++);
  }, BYTE_MS);
  return {
    said,
    droppedMs: () => droppedMs,
    told: () => told.split('\r\n')[0] ?? '',
    end: () => {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/**
 * Returns whether the node's end of a connection of this machine is open: a client that doesn't read learns late of its
 * end.
 */
function isHeld(port: number, clientPort: number | undefined): boolean {
  if (clientPort === undefined) return false;
  const [node, client] = [port, clientPort].map((number) => number.toString(16).toUpperCase().padStart(4, '0'));
  return new RegExp(`:${node} [0-9A-F]{8}:${client} ${ESTABLISHED} `).test(readFileSync('/proc/net/tcp', 'latin1'));
}
