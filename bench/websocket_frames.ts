// The few bytes of RFC 6455 that a client needs: whole WebSocket libraries cost a client ten times what its node spends
// on it.

const PONG = 0x8a;
const TEXT = 0x81;
const MASKED = 0x80;

/** A request that turns a connection into a WebSocket. */
export function upgradeRequest(host: string): string {
  return `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
}

/** A text frame of a client; masked with zeros, which change nothing. */
export function textFrame(text: string): Buffer {
  return frame(TEXT, Buffer.from(text));
}

/** The answer to a ping. */
export function pongFrame(payload: Buffer): Buffer {
  return frame(PONG, payload);
}

function frame(first: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 6 : payload.length < 65_536 ? 8 : 14);
  head[0] = first;
  if (payload.length < 126) head[1] = MASKED | payload.length;
  else if (payload.length < 65_536) {
    head[1] = MASKED | 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = MASKED | 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** A frame of a server. */
export interface Frame {
  /** 1 text, 8 close, 9 ping. */
  readonly kind: number;
  readonly payload: Buffer;
  /** The start of the next frame. */
  readonly end: number;
}

/** The frame that begins at `at`; undefined while it is not all there. */
export function readFrame(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length < at + 2) return undefined;
  const short = bytes.readUInt8(at + 1);
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < at + head) return undefined;
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  const end = at + head + length;
  return bytes.length < end
    ? undefined
    : { kind: bytes.readUInt8(at) & 0x0f, payload: bytes.subarray(at + head, end), end };
}
