import type { SocketFault } from '../../../src/jsonrpc/http/socket_faults.ts';
import type { Limits } from '../../../src/jsonrpc/limits/limits.ts';
import type { End } from './exchange.ts';

// What is sent over a WebSocket and what is heard there, in one table for both servers. The binding of uWebSockets.js
// checks frames itself, and closes the connection before any of our code runs: what it does otherwise stands under
// `uws` with its reason.

/** Each frame as `text …`, `pong …` or `close CODE reason`. */
interface SocketHeard {
  readonly hears: readonly string[];
  readonly end: End;
}

/** One conversation over an open WebSocket. */
export interface SocketExchange extends SocketHeard {
  readonly what: string;
  readonly sends: Buffer;
  readonly limits?: Partial<Limits>;
  /** Differences of uWebSockets.js. */
  readonly uws?: Partial<SocketHeard> & {
    readonly because: string;
    /** The fault that it counts for the operator, when the code is not the same. */
    readonly finds?: SocketFault | 'nothing';
  };
}

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

interface FrameOptions {
  readonly isLast?: boolean;
  /** The three reserved bits, as a number. */
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** The length in the head, in place of the true one, as 64 bits. */
  readonly saidLength?: bigint;
}

/** Bytes of a payload up to which its length stands in one byte, and up to which in two. */
const LENGTH_IN_ONE = 125;
const LENGTH_IN_TWO = 65_535;
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** A frame as a client sends it. */
export function frame(kind: number, payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const { isLast = true, reserved = 0, isMasked = true, saidLength } = options;
  const bytes = Buffer.from(payload);
  const marked = (length: number): number => (isMasked ? length + 128 : length);
  const head = [(isLast ? 128 : 0) + reserved * 16 + kind];
  if (saidLength !== undefined) {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(saidLength);
    head.push(marked(127), ...length);
  } else if (bytes.length <= LENGTH_IN_ONE) head.push(marked(bytes.length));
  else if (bytes.length <= LENGTH_IN_TWO) head.push(marked(126), bytes.length >> 8, bytes.length & 255);
  else throw new RangeError('no row sends as much');
  if (!isMasked) return Buffer.concat([Buffer.from(head), bytes]);
  return Buffer.concat([Buffer.from(head), MASK, bytes.map((byte, index) => byte ^ (MASK[index % MASK.length] ?? 0))]);
}

const text = (payload: string | Buffer, options?: FrameOptions): Buffer => frame(TEXT, payload, options);
const begun = (kind: number, payload: string | Buffer): Buffer => frame(kind, payload, { isLast: false });
const ended = (payload: string | Buffer): Buffer => frame(CONTINUATION, payload);
/** The payload of a close frame. */
const closing = (code: number, reason = ''): Buffer =>
  Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]);

const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';
const echoed = 'text {"jsonrpc":"2.0","result":{"list":[],"any":null},"id":1}';
const wait = '{"jsonrpc":"2.0","id":7,"method":"test_api.wait"}';
const waited = 'text {"jsonrpc":"2.0","result":{"waited":true},"id":7}';
const forever = '{"jsonrpc":"2.0","id":8,"method":"test_api.wait","params":{"forever":true}}';
const parseError = `text ${JSON.stringify({
  jsonrpc: '2.0',
  error: {
    code: -32700,
    message: 'Parse error: the text ends at byte 0 where a value was expected',
    data: { at: 0, expected: 'a value', name: 'json_unfinished' },
  },
  id: null,
})}`;
const umlaut = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"any":"\u00f6"}}');
const umlautEchoed = 'text {"jsonrpc":"2.0","result":{"list":[],"any":"\u00f6"},"id":1}';
/** Between the two bytes of its letter beyond ASCII. */
const withinLetter = umlaut.indexOf(0xc3) + 1;
const noUtf8 = Buffer.from([0x22, 0xc3, 0x28, 0x22]);

const LIMIT = 1000;
const small = { bodyBytes: LIMIT };
const tooBig = { hears: ['close 1009'], end: 'ends' } as const;
const broken = { hears: ['close 1002'], end: 'ends' } as const;
/** The binding has closed the connection when it tells of it. */
const silentEnd = { hears: [], end: 'ends' } as const;
const itsOwnCheck = { ...silentEnd, because: 'the binding closes before it calls us, without a close frame' } as const;
const takenAsBare = { hears: ['close'], because: 'it says goodbye as to a close without a code' } as const;
const withReason = {
  hears: [`close 1009 a message has at most ${LIMIT} bytes`],
  because: 'the server counts, and gives a reason',
} as const;

export const socketExchanges: readonly SocketExchange[] = [
  { what: 'a call', sends: text(echo), hears: [echoed], end: 'goes on' },
  {
    what: 'three calls at once',
    sends: Buffer.concat([text(echo), text(echo), text(echo)]),
    hears: [echoed, echoed, echoed],
    end: 'goes on',
  },
  {
    what: 'a call behind one that waits, answered as soon as it can be',
    sends: Buffer.concat([text(wait), text(echo)]),
    hears: [echoed, waited],
    end: 'goes on',
  },
  {
    what: 'a call in three fragments, a ping between them',
    sends: Buffer.concat([
      begun(TEXT, echo.slice(0, 10)),
      begun(CONTINUATION, echo.slice(10, 20)),
      frame(PING, 'here?'),
      ended(echo.slice(20)),
    ]),
    hears: ['pong here?', echoed],
    end: 'goes on',
  },
  {
    what: 'a call in fragments that part a letter',
    sends: Buffer.concat([begun(TEXT, umlaut.subarray(0, withinLetter)), ended(umlaut.subarray(withinLetter))]),
    hears: [umlautEchoed],
    end: 'goes on',
  },
  { what: 'a ping', sends: frame(PING, 'are you there'), hears: ['pong are you there'], end: 'goes on' },
  { what: 'a pong that nobody asked for', sends: frame(PONG, ''), hears: [], end: 'goes on' },
  {
    what: 'a binary message',
    sends: frame(BINARY, echo),
    hears: ['text error: string payload expected'],
    end: 'goes on',
  },
  { what: 'a message of nothing', sends: text(''), hears: [parseError], end: 'goes on' },
  {
    what: 'a message as long as the limit',
    sends: text(echo.padEnd(LIMIT)),
    limits: small,
    hears: [echoed],
    end: 'goes on',
  },
  { what: 'a message one byte longer', sends: text(echo.padEnd(LIMIT + 1)), limits: small, ...tooBig, uws: withReason },
  {
    what: 'a message of twice the limit',
    sends: text(echo.padEnd(2 * LIMIT)),
    limits: small,
    ...tooBig,
    uws: withReason,
  },
  {
    what: 'a message beyond twice the limit',
    sends: text(echo.padEnd(2 * LIMIT + 1)),
    limits: small,
    ...tooBig,
    uws: itsOwnCheck,
  },
  {
    what: 'fragments beyond the limit',
    sends: Buffer.concat([begun(TEXT, echo.padEnd(LIMIT)), ended(' ')]),
    limits: small,
    ...tooBig,
    uws: withReason,
  },
  {
    what: 'fragments beyond twice the limit',
    sends: Buffer.concat([begun(TEXT, echo.padEnd(LIMIT)), begun(CONTINUATION, ' '.repeat(LIMIT)), ended(' ')]),
    limits: small,
    ...tooBig,
    uws: itsOwnCheck,
  },
  {
    what: 'a head that says more bytes than there are',
    sends: text('', { saidLength: 2n ** 40n }),
    ...tooBig,
    uws: itsOwnCheck,
  },
  { what: 'a length beyond all numbers', sends: text('', { saidLength: 2n ** 63n }), ...tooBig, uws: itsOwnCheck },
  { what: 'text that is no UTF-8', sends: text(noUtf8), hears: ['close 1007'], end: 'ends', uws: itsOwnCheck },
  {
    what: 'text that ends within a letter',
    sends: text(umlaut.subarray(0, withinLetter)),
    hears: ['close 1007'],
    end: 'ends',
    uws: itsOwnCheck,
  },
  {
    what: 'a frame without a mask',
    sends: text(echo, { isMasked: false }),
    ...broken,
    uws: {
      ...silentEnd,
      finds: 'no_utf8',
      because: 'it takes the first four bytes for the mask, and the rest for text',
    },
  },
  { what: 'a kind of frame that nobody knows', sends: frame(3, echo), ...broken, uws: itsOwnCheck },
  { what: 'a control frame that nobody knows', sends: frame(11, ''), ...broken, uws: itsOwnCheck },
  { what: 'a compressed message', sends: text(echo, { reserved: 4 }), ...broken, uws: itsOwnCheck },
  { what: 'a reserved bit', sends: text(echo, { reserved: 1 }), ...broken, uws: itsOwnCheck },
  { what: 'a ping in fragments', sends: frame(PING, 'x', { isLast: false }), ...broken, uws: itsOwnCheck },
  { what: 'a ping of 126 bytes', sends: frame(PING, 'x'.repeat(126)), ...broken, uws: itsOwnCheck },
  { what: 'a continuation of nothing', sends: ended(echo), ...broken, uws: itsOwnCheck },
  {
    what: 'a message within another',
    sends: Buffer.concat([begun(TEXT, '{'), text(echo)]),
    ...broken,
    uws: itsOwnCheck,
  },
  {
    what: 'a close with code and reason',
    sends: frame(CLOSE, closing(1000, 'bye')),
    hears: ['close 1000 bye'],
    end: 'ends',
  },
  { what: 'a close without a code', sends: frame(CLOSE, ''), hears: ['close'], end: 'ends' },
  { what: 'a close with half a code', sends: frame(CLOSE, 'x'), ...broken, uws: { ...takenAsBare, finds: 'nothing' } },
  { what: 'a close with a code that is never sent', sends: frame(CLOSE, closing(1005)), ...broken, uws: takenAsBare },
  {
    what: 'more calls at once than one WebSocket has',
    sends: Buffer.concat([text(forever), text(forever), text(forever)]),
    limits: { callsPerSocket: 2 },
    hears: ['close 1013 too many calls at once'],
    end: 'ends',
  },
];
