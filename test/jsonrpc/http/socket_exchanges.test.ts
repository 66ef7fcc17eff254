import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { HttpServer } from '../../../src/jsonrpc/http/http_server.ts';
import type { SocketFault } from '../../../src/jsonrpc/http/socket_faults.ts';
import type { End } from './exchange.ts';
import { frame, socketExchanges, type SocketExchange } from './socket_exchanges.ts';
import { listen, servers, type Open } from './servers.ts';

const ONCE_MORE = '"once more"';
const onceMore = frame(1, `{"jsonrpc":"2.0","id":${ONCE_MORE},"method":"test_api.echo"}`);
/**
 * Nothing more comes of a server that has been silent for so long; one that would be slower than this fails the test.
 */
const SILENCE_MS = 300;
const AT_ONCE = 16;

// A conversation mostly waits for silence: several do so at the same time.
describe('conversations over WebSocket', { concurrency: AT_ONCE }, () => {
  for (const [name, open] of servers)
    for (const exchange of socketExchanges) {
      test(`${name}: ${exchange.what}`, async (t) => {
        const { hears, end } = exchange;
        const uws = name === 'node:http' ? undefined : exchange.uws;
        const faults = { too_long: 0, no_utf8: 0, malformed: 0 };
        const found = uws?.finds ?? faultOf[hears.at(-1) ?? ''] ?? 'nothing';
        if (found !== 'nothing') faults[found] = 1;
        assert.deepEqual(await held(t, open, exchange), { hears: uws?.hears ?? hears, end: uws?.end ?? end, faults });
      });
    }
});

/** The operator's fault for each code that a client receives. */
const faultOf: Readonly<Record<string, SocketFault>> = {
  'close 1009': 'too_long',
  'close 1007': 'no_utf8',
  'close 1002': 'malformed',
};

interface Held {
  readonly hears: readonly string[];
  readonly end: End;
  readonly faults: HttpServer['socketFaults'];
}

/** Has the conversation, and finds out what became of the connection. */
async function held(t: TestContext, open: Open, { sends, limits = {} }: SocketExchange): Promise<Held> {
  const { port, server } = await listen(t, open, {}, limits);
  const faults = server.socketFaults;
  const conversation = new Conversation(connect(port, '127.0.0.1'));
  t.after(() => conversation.leave());
  await conversation.begin();
  conversation.send(sends);
  await conversation.quiet();
  const { hears } = conversation;
  if (conversation.isOver()) return { hears, end: 'ends', faults };
  conversation.send(onceMore);
  await conversation.quiet(ONCE_MORE);
  if (conversation.hears.at(-1)?.includes(ONCE_MORE) === true) return { hears, end: 'goes on', faults };
  return { hears, end: conversation.isOver() ? 'ends' : 'is silent', faults };
}

/** A client that speaks frames, says goodbye when the server does, and keeps all that it has heard. */
class Conversation {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #isClosed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => void (this.#bytes = Buffer.concat([this.#bytes, bytes])));
    socket.on('error', () => undefined);
    socket.on('close', () => void (this.#isClosed = true));
  }

  /** The handshake; what is heard begins behind it. */
  async begin(): Promise<void> {
    const lines = [
      'GET / HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
    ];
    this.#socket.write([...lines, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\r\n'));
    while (!this.#bytes.includes('\r\n\r\n')) await once(this.#socket, 'data');
    assert.match(this.#bytes.toString('latin1'), /^HTTP\/1\.1 101 /);
    this.#bytes = this.#bytes.subarray(this.#bytes.indexOf('\r\n\r\n') + 4);
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  leave(): void {
    this.#socket.destroy();
  }

  isOver(): boolean {
    return this.#isClosed;
  }

  /** The frames so far. */
  get hears(): string[] {
    const frames: string[] = [];
    for (let at = 0; at + 2 <= this.#bytes.length;) {
      const kind = this.#bytes.readUInt8(at) & 15;
      const short = this.#bytes.readUInt8(at + 1);
      const start = at + (short === 126 ? 4 : 2);
      const end = start + (short === 126 ? this.#bytes.readUInt16BE(at + 2) : short);
      frames.push(described(kind, this.#bytes.subarray(start, end)));
      at = end;
    }
    return frames;
  }

  /** Until the connection is closed, these words were heard, or nothing was for a while. */
  async quiet(words?: string): Promise<void> {
    const STEP_MS = 10;
    let before = this.#bytes.length;
    for (let silentMs = 0; silentMs < SILENCE_MS && !this.#isClosed; silentMs += STEP_MS) {
      if (words !== undefined && this.#bytes.includes(words)) return;
      await setTimeout(STEP_MS);
      if (this.#bytes.length !== before) silentMs = 0;
      before = this.#bytes.length;
      if (this.hears.at(-1)?.startsWith('close') === true) this.#socket.end();
    }
  }
}

function described(kind: number, payload: Buffer): string {
  if (kind === 1) return `text ${payload.toString()}`;
  if (kind === 10) return `pong ${payload.toString()}`;
  assert.equal(kind, 8, 'a server sends text, pongs and a close');
  const code = payload.length === 0 ? '' : String(payload.readUInt16BE(0));
  return ['close', code, payload.subarray(2).toString()].filter(Boolean).join(' ');
}
