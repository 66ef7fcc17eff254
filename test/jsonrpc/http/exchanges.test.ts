import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Exchange, Heard } from './exchange.ts';
import { exchanges } from './exchanges.ts';
import { listen, servers, type Open } from './servers.ts';

const body = '{"jsonrpc":"2.0","id":"once more","method":"test_api.echo"}';
const onceMore = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
/**
 * Nothing more comes of a server that has been silent for so long; one that would be slower than this fails the test.
 */
const SILENCE_MS = 300;
/** So few that none of them takes the silence of another for its own. */
const AT_ONCE = 8;

// A conversation mostly waits for silence: several do so at the same time.
describe('conversations', { concurrency: AT_ONCE }, () => {
  for (const [name, open] of servers)
    for (const exchange of exchanges) {
      test(`${name}: ${exchange.what}`, async (t) => {
        assert.deepEqual(await held(t, open, exchange), expected(name, exchange));
      });
    }
});

/** Returns the table's answer of a server. */
function expected(name: string, { hears, end, uws }: Exchange): Heard {
  return name === 'node:http' || uws === undefined
    ? { hears, end }
    : { hears: uws.hears ?? hears, end: uws.end ?? end };
}

for (const [name, open] of servers)
  test(`${name}: whoever still sends a body that is too large hears 413, announced or not, with close or without`, async (t) => {
    const { port } = await listen(t, open);
    for (const announced of [true, false])
      for (const persistence of ['close', 'keep-alive']) {
        const answer = await upload(port, announced, persistence);
        assert.match(
          answer,
          /^HTTP\/1\.1 413 [^]*connection: close[^]*a body has at most 1048576 bytes$/i,
          `${announced} ${persistence}`,
        );
      }
  });

const CHUNK = 'x'.repeat(65_536);
const CHUNKS = 160;

/** Sends ten mebibytes in pieces, at the pace at which they are taken, and listens only then; what was heard. */
async function upload(port: number, announced: boolean, persistence: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  const framing = announced ? `Content-Length: ${CHUNK.length * CHUNKS}` : 'Transfer-Encoding: chunked';
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nConnection: ${persistence}\r\n${framing}\r\n\r\n`);
  const piece = announced ? CHUNK : `10000\r\n${CHUNK}\r\n`;
  for (let k = 0; k < CHUNKS && errors.length === 0; k++) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    await setTimeout(1);
  }
  if (!announced) socket.write('0\r\n\r\n');
  assert.deepEqual(errors, []);
  socket.setEncoding('latin1');
  let heard = '';
  for await (const text of socket) {
    heard += String(text);
    if (heard.endsWith('bytes')) break;
  }
  return heard;
}

/** Has the conversation, and finds out what became of the connection. */
async function held(t: TestContext, open: Open, { sends, limits = {} }: Exchange): Promise<Heard> {
  const { port } = await listen(t, open, {}, limits);
  const connection = new Connection(connect(port, '127.0.0.1'));
  t.after(() => connection.end());
  connection.send(sends);
  await connection.quiet();
  const hears = splitAnswers(connection.heard, sends.startsWith('HEAD '));
  if (isOver(connection)) return { hears, end: 'ends' };
  connection.send(onceMore);
  await connection.quiet('"once more"}');
  if (connection.heard.includes('"once more"}')) return { hears, end: 'goes on' };
  return { hears, end: isOver(connection) ? 'ends' : 'is silent' };
}

function isOver({ isClosed }: Connection): boolean {
  return isClosed;
}

/** A socket and all that it has heard. */
class Connection {
  readonly #socket: Socket;
  heard = '';
  isClosed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => void (this.heard += text));
    socket.on('error', () => undefined);
    socket.on('close', () => void (this.isClosed = true));
  }

  send(bytes: string): void {
    this.#socket.write(bytes, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }

  /** Until the connection is closed, these words were heard, or nothing was for a while. */
  async quiet(words?: string): Promise<void> {
    const STEP_MS = 10;
    let before = this.heard;
    for (let silentMs = 0; silentMs < SILENCE_MS && !this.isClosed; silentMs += STEP_MS) {
      if (words !== undefined && this.heard.includes(words)) return;
      await setTimeout(STEP_MS);
      if (this.heard !== before) silentMs = 0;
      before = this.heard;
    }
  }
}

/** The answers in what was heard: status, type, whether the connection is kept, and the body or its length. */
function splitAnswers(heard: string, areHeads: boolean): string[] {
  const answers: string[] = [];
  for (let rest = heard; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    assert.notEqual(end, -1, rest);
    const head = rest.slice(0, end);
    const header = (name: string): string | undefined => new RegExp(`^${name}: (.*?)\r?$`, 'im').exec(head)?.[1];
    assert.ok((head.match(/^connection:/gim)?.length ?? 0) <= 1, head);
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
    const length = Number(header('content-length') ?? 0);
    const start = end + '\r\n\r\n'.length;
    // Without a length: what node itself says, and what the parser of uWebSockets.js says, to the end of the
    // connection.
    const isChunked = header('transfer-encoding') === 'chunked';
    const isOwnPage = rest.slice(start).startsWith('<h1>');
    const text = areHeads ? `(${length})` : isOwnPage ? ownTitle(rest.slice(start)) : rest.slice(start, start + length);
    if (isOwnPage) rest = '';
    else
      rest = isChunked ? rest.slice(rest.indexOf('0\r\n\r\n', start) + 5) : rest.slice(start + (areHeads ? 0 : length));
    const persistence = header('connection')?.toLowerCase() === 'close' ? 'close' : 'keep';
    answers.push([status, header('content-type'), persistence, text].filter(Boolean).join(' '));
  }
  return answers;
}

/** The title of a page that the parser of uWebSockets.js sends by itself. */
function ownTitle(page: string): string {
  return /^<h1>.*?<\/h1>/.exec(page)?.[0] ?? page;
}
