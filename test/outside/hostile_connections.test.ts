import assert from 'node:assert/strict';
import { connect, type Socket as NetSocket } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { at, optionalMember, textMember, type Json } from './json.ts';
import { readRefusal, type Program } from './program.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil, within } from './wait_until.ts';

const site = new Site();
let program: Program;
const VERSION = '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_version"}';
const MEBIBYTE = 1024 * 1024;

before(async () => {
  program = await site.dev('--fresh');
  for (const [what, stall] of Object.entries(stalling)) {
    const outcome = stall();
    outcome.catch(() => {}); // a test looks at it
    stalled.set(what, outcome);
  }
});

after(() => site.clear());

/** Checks after each attack that everybody else is served and blocks keep coming. */
afterEach(async () => {
  assert.equal((await program.raw(VERSION)).status, 200);
  const { number } = await program.health();
  await waitUntil('one more block', async () => ((await program.health()).number > number ? true : undefined));
  assert.equal(program.complaints, '');
});

/** Everything that the node sends until it closes a raw connection on which these bytes were sent. */
async function exchange(bytes: string | Uint8Array, from?: string): Promise<string> {
  const socket = await open(from);
  socket.write(bytes);
  return await within('the connection to be closed', ended(socket));
}

async function open(from = '127.0.0.1'): Promise<NetSocket> {
  const socket = connect({ port: program.port, host: '127.0.0.1', localAddress: from });
  await within('a connection', new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)));
  socket.on('error', () => {}); // a reset is one way to be sent away
  return socket;
}

async function ended(socket: NetSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

function head(lines: readonly string[], first = 'POST / HTTP/1.1'): string {
  return [first, ...lines, '', ''].join('\r\n');
}

/** Its connections count for nobody else. */
const STALLER = '127.0.0.9';

/** The node waits up to twelve seconds for the rest of a request. */
const stalling: Readonly<Record<string, () => Promise<void>>> = {
  'a body at the limit is heard, one byte more is not': async () => {
    const padded = VERSION + ' '.repeat(MEBIBYTE - VERSION.length);
    assert.equal((await program.raw(padded)).status, 200);
    assert.match(
      await exchange(`${head(['Host: localhost', `Content-Length: ${MEBIBYTE + 1}`])}${padded} `, STALLER),
      /^HTTP\/1\.1 413 .*at most 1048576 bytes/s,
    );
    assert.match(await exchange(head(['Host: localhost', 'Content-Length: 9999999']), STALLER), /^HTTP\/1\.1 413 /);
  },
  'heads that contradict themselves are refused, so that no proxy can be fooled': async () => {
    const bad = [
      ['Host: localhost', 'Content-Length: 5', 'Content-Length: 6'],
      ['Host: localhost', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      ['Host: localhost', 'Content-Length: -1'],
      ['Host: localhost', 'Content-Length: 999999999999'],
      ['Host: localhost', 'Content-Length: 0x10'],
      ['Host: localhost', 'Host: evil.example', 'Content-Length: 5'],
    ];
    for (const lines of bad)
      assert.match(
        await exchange(`${head([...lines, 'Connection: close'])}hello`, STALLER),
        /^(?:HTTP\/1\.1 4\d\d |$)/,
        lines.join(),
      );
  },
  'bytes that are no HTTP are let go': async () => {
    const strange = [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'hello\r\n\r\n',
      'POST /\r\n\r\n',
      `GET / HTTP/1.1\r\n${'x'.repeat(200_000)}`,
      `POST / HTTP/1.1\r\nHost: localhost\r\n${'A: b\r\n'.repeat(20_000)}\r\n`,
    ];
    const answers = await Promise.all(strange.map((bytes) => exchange(Buffer.from(bytes, 'latin1'), STALLER)));
    for (const answer of answers) assert.match(answer, /^(?:HTTP\/1\.1 (?:400|403|405|431|505) |$)/);
  },
  'half a request, and a body that comes too slowly, hold up nobody and are let go': async () => {
    const halves = await Promise.all(
      [
        'P',
        'POST / HTTP/1.1\r\nHost: loc',
        head(['Host: localhost', 'Content-Length: 100']),
        `${head(['Host: localhost', 'Content-Length: 100'])}{"jsonrpc"`,
      ].map(async (bytes) => {
        const socket = await open(STALLER);
        socket.write(bytes);
        return await within('a half request to be let go', ended(socket));
      }),
    );
    for (const text of halves) assert.match(text, /^(?:HTTP\/1\.1 408 |$)/);
  },
};

/** They begin before all else, and are looked at in the end. */
const stalled = new Map<string, Promise<void>>();

test('a stranger name in Host is turned away, which stops pages of strangers in browsers here', async () => {
  for (const host of [
    'evil.example',
    'evil.example:9193',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
    '[::2]',
  ])
    assert.equal(
      (await program.http('POST', '/', { host, 'content-type': 'application/json' }, VERSION)).status,
      403,
      host,
    );
  for (const host of ['localhost', '127.0.0.1:1', 'LOCALHOST:9193', '[::1]:80'])
    assert.equal((await program.http('POST', '/', { host }, VERSION)).status, 200, host);
});

test('a WebSocket from the page of a stranger is turned away', async () => {
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  for (const lines of [
    ['Host: evil.example'],
    ['Host: 127.0.0.1', 'Origin: https://evil.example'],
    ['Host: 127.0.0.1', 'Origin: null'],
  ])
    assert.match(await exchange(head([...lines, ...upgrade], 'GET / HTTP/1.1')), /^HTTP\/1\.1 403 /);
});

test('methods, types and encodings that are not served are named', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    assert.equal((await program.http(method, '/', {}, VERSION)).status, 405);
  assert.equal((await program.http('GET', '/', {})).status, 405);
  assert.equal((await program.http('GET', '/no-such-page', {})).status, 404);
  assert.equal((await program.raw(VERSION, { 'content-type': 'image/png' })).status, 415);
  assert.equal((await program.raw(VERSION, { 'content-encoding': 'gzip' })).status, 415);
  for (const type of ['application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded'])
    assert.equal((await program.raw(VERSION, { 'content-type': type })).status, 200);
});

test('answers that are together beyond the limit are refused with a hint, over HTTP and over a WebSocket', async () => {
  // The document of all methods has a quarter of a megabyte, an answer at most ten.
  const calls = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'rpc.discover' }));
  const { body } = await program.raw(JSON.stringify(calls));
  const socket = await program.socket();
  socket.send(JSON.stringify(calls));
  for (const answer of [body, await socket.next()]) {
    const { name, message } = readRefusal(JSON.parse(answer));
    assert.equal(name, 'answer_too_large');
    assert.match(message, /more than \d+ bytes; ask for a smaller page/);
  }
  socket.close();
  const one: Json = JSON.parse((await program.raw(JSON.stringify(calls.slice(0, 1)))).body);
  assert.equal(at(one, '0.result.openrpc'), '1.3.2');
});

test('a body in many small pieces is put together', async () => {
  const socket = await open();
  const answer = ended(socket);
  socket.write(head(['Host: localhost', 'Connection: close', 'Transfer-Encoding: chunked']));
  for (const character of VERSION) socket.write(`1\r\n${character}\r\n`);
  socket.end('0\r\n\r\n');
  assert.match(await answer, /"blockchain_version"/);
});

test('requests that come in one piece are answered each', async () => {
  const request = `${head(['Host: localhost', `Content-Length: ${VERSION.length}`])}${VERSION}`;
  const socket = await open();
  const answer = ended(socket);
  socket.end(request.repeat(5));
  const text = await answer;
  assert.equal(text.split('"blockchain_version"').length - 1, 5, text.slice(0, 500));
});

test('a WebSocket survives what is no call, binary frames included', async () => {
  const socket = await program.socket();
  try {
    for (const frame of ['', '{', 'null', '[]', '{"jsonrpc":"2.0","id":1,"method":"no.such"}']) {
      socket.send(frame);
      assert.notEqual(optionalMember(JSON.parse(await socket.next()), 'error.code'), undefined, frame);
    }
    socket.send(Buffer.from(VERSION));
    assert.match(await socket.next(), /string payload expected/);
    assert.notEqual(optionalMember(await socket.call('alexandria_api.get_version'), 'result'), undefined);
  } finally {
    socket.close();
  }
});

test('a WebSocket frame beyond the limit closes that socket alone', async () => {
  const [big, other] = [await program.socket(), await program.socket()];
  big.send('x'.repeat(MEBIBYTE + 1));
  assert.notEqual(await within('the socket to be closed', big.closed), 1000);
  assert.notEqual(optionalMember(await other.call('alexandria_api.get_version'), 'result'), undefined);
  other.close();
});

test('a text frame that is not UTF-8 harms only its own socket', async () => {
  const socket = await open();
  socket.write(
    head(
      [
        'Host: localhost',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ],
      'GET / HTTP/1.1',
    ),
  );
  await within('the upgrade', new Promise((resolve) => socket.once('data', resolve)));
  // A masked text frame of two bytes, which the mask of zeros leaves as they are.
  socket.write(Buffer.from('818200000000c328', 'hex'));
  const text = await within(
    'an end or an answer',
    new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(chunk.toString('latin1')));
      socket.once('close', () => resolve(''));
    }),
  );
  assert.doesNotMatch(text, /result/);
  socket.destroy();
});

const CONNECTIONS = 3000;

test('thousands of connections that come and go leave nothing behind', async () => {
  for (let left = CONNECTIONS; left > 0; left -= 500) {
    const sockets = await Promise.all(Array.from({ length: 500 }, () => open()));
    sockets.forEach((socket, index) => {
      if (index % 3 === 0) socket.write(`${head(['Host: localhost', 'Content-Length: 1000'])}{"half`);
      if (index % 3 === 1) socket.write(`${head(['Host: localhost', `Content-Length: ${VERSION.length}`])}${VERSION}`);
      socket.resetAndDestroy();
    });
  }
  assert.equal((await program.raw(VERSION)).status, 200);
});

test('one address has its limit of WebSockets, and leaving makes room again', async () => {
  const sockets = await Promise.all(Array.from({ length: 1024 }, () => program.socket()));
  await assert.rejects(program.socket(), /429/);
  assert.equal((await program.raw(VERSION)).status, 200);
  for (const socket of sockets) socket.drop();
  const again = await waitUntil('room for one more', async () => await program.socket().catch(() => undefined));
  const answer: Json = await again.call('alexandria_api.get_version');
  assert.notEqual(at(answer, 'result'), undefined);
  again.close();
});

test('a broadcast with a request behind it in one packet is answered in order, or not begun where the connection ends', async () => {
  const trx = await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '0.000003')]), 'alice');
  const id = textMember(await program.result('alexandria_api.get_transaction_id', { tx: trx }), 'tx_id');
  const params = { trx };
  const waiting = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'network_broadcast_api.broadcast_transaction_synchronous',
    params,
  });
  const post = (body: string): string =>
    head(['host: 127.0.0.1', 'content-type: application/json', `content-length: ${body.length}`]) + body;
  const isNode = (await program.http('GET', '/health', {})).body.includes('"http_server":"node:http"');
  if (isNode)
    return assert.match(
      await exchange(post(waiting) + post(VERSION).replace('\r\n', '\r\nconnection: close\r\n')),
      /"id":1\}/,
    );
  assert.equal(await exchange(post(waiting) + post(VERSION)), '');
  const { number } = await program.health();
  await waitUntil('two blocks more', async () => ((await program.health()).number > number + 1 ? true : undefined));
  assert.notEqual(
    optionalMember(await program.call('alexandria_api.get_transaction', { tx_id: id }), 'error'),
    undefined,
    'it was not begun',
  );
  await program.result('network_broadcast_api.broadcast_transaction_synchronous', params);
  assert.equal(optionalMember(await program.call('alexandria_api.get_transaction', { tx_id: id }), 'error'), undefined);
});

describe('a client that stalls', () => {
  for (const what of Object.keys(stalling)) test(what, async () => await stalled.get(what));
});
