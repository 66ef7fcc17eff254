import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { Fault } from '../../../src/base/fault.ts';
import type { RequestSource } from '../../../src/jsonrpc/limits/request_source.ts';
import { unixServer } from '../../../src/jsonrpc/http/listen.ts';
import { listenOnPath, requireSocketPath, type UnixSocket } from '../../../src/jsonrpc/http/unix_socket.ts';
import { listen } from './servers.ts';

// Unix sockets as files: their modes, those of dead processes, and what is never removed.

const LONGEST = process.platform === 'linux' ? 107 : 103;

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-unix-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Listening {
  readonly server: Server;
  readonly socket: UnixSocket;
}

async function listening(t: TestContext, path: string): Promise<Listening> {
  const server = createServer((peer) => peer.on('error', () => undefined).end('here')); // who only looks may reset
  t.after(() => void server.close());
  return { server, socket: await listenOnPath(server, path) };
}

/** Returns the answer of a server at a path; the system's code when there is none. */
async function heard(path: string): Promise<string> {
  const socket = connect(path);
  let text = '';
  socket.setEncoding('utf8').on('data', (piece) => void (text += String(piece)));
  return await new Promise((resolve) => {
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : ''));
    socket.once('close', () => resolve(text));
  });
}

/** Leaves the socket of a process that was killed. */
async function leaveStale(path: string): Promise<void> {
  const child = spawn(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(path)},()=>console.log('up'))`,
  ]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(lstatSync(path).isSocket());
}

function isRefused(code: string, words: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  };
}

test('the mode is 0660 whatever the umask, also of folders that are made', async (t) => {
  const folder = makeFolder(t);
  for (const mask of [0o000, 0o022, 0o077, 0o177]) {
    const before = process.umask(mask);
    t.after(() => void process.umask(before));
    const path = join(folder, `${mask}`, 'deeper', 'rpc.sock');
    const { server, socket } = await listening(t, path);
    process.umask(before);
    assert.equal(statSync(path).mode & 0o777, 0o660);
    assert.equal(statSync(join(folder, `${mask}`)).mode & 0o777, 0o750);
    assert.equal(statSync(join(folder, `${mask}`, 'deeper')).mode & 0o777, 0o750);
    assert.equal(await heard(path), 'here');
    socket.remove();
    server.close();
    assert.deepEqual(readdirSync(join(folder, `${mask}`, 'deeper')), [], 'nothing is left');
  }
});

test('the socket of a killed process is replaced; a living one, a file, a folder and a link never are', async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, 'rpc.sock');
  await leaveStale(path);
  const { socket } = await listening(t, path);
  await assert.rejects(listening(t, path), isRefused('port_in_use', /rpc\.sock: another process does/));
  assert.equal(await heard(path), 'here');

  const file = join(folder, 'wallet.json');
  writeFileSync(file, 'keys');
  await assert.rejects(listening(t, file), isRefused('configuration', /wallet\.json: something else than a socket/));
  assert.equal(readFileSync(file, 'utf8'), 'keys');
  mkdirSync(join(folder, 'folder'));
  await assert.rejects(listening(t, join(folder, 'folder')), isRefused('configuration', /something else/));
  symlinkSync(path, join(folder, 'link'));
  await assert.rejects(listening(t, join(folder, 'link')), isRefused('configuration', /something else/));
  await assert.rejects(listening(t, join(file, 'rpc.sock')), isRefused('configuration', /wallet\.json/));
  socket.remove();
  assert.deepEqual(readdirSync(folder).toSorted(), ['folder', 'link', 'wallet.json']);
});

test('a server that stops leaves the socket of another one that took its place', async (t) => {
  const path = join(makeFolder(t), 'rpc.sock');
  const first = await listening(t, path);
  rmSync(path);
  const second = await listening(t, path);
  first.socket.remove();
  first.server.close();
  await once(first.server, 'close');
  assert.equal(await heard(path), 'here');
  second.socket.remove();
  assert.equal(existsSync(path), false);
});

test('of many that start at once on the socket of a dead process one listens, and the others are told', async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, 'rpc.sock');
  for (let round = 0; round < 10; round++) {
    await leaveStaleFile(path);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, async () => await listening(t, path)));
    const up = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    assert.equal(up.length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Fault, String(outcome.reason));
    assert.equal(await heard(path), 'here');
    up[0]?.value.socket.remove();
    up[0]?.value.server.close();
    assert.deepEqual(readdirSync(folder), []);
  }
});

/** The same without a process: a server that is closed under another name. */
async function leaveStaleFile(path: string): Promise<void> {
  const server = createServer();
  server.listen(`${path}.x`);
  await once(server, 'listening');
  const { linkSync } = await import('node:fs');
  linkSync(`${path}.x`, path);
  server.close();
  await once(server, 'close');
}

test('a path of the longest length works, and one byte more is refused by its name', async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, 'é'.repeat(Math.floor((LONGEST - folder.length - 1) / 2))).padEnd(
    LONGEST - Math.floor((LONGEST - folder.length - 1) / 2),
    'x',
  );
  assert.equal(Buffer.byteLength(path), LONGEST);
  requireSocketPath(path, 'webserver-unix-endpoint');
  await listening(t, path);
  assert.equal(await heard(path), 'here');
  assert.throws(
    () => requireSocketPath(`${path}y`, 'webserver-unix-endpoint'),
    isRefused(
      'configuration',
      new RegExp(`webserver-unix-endpoint: .* has ${LONGEST + 1} bytes, .* at most ${LONGEST}$`),
    ),
  );
  assert.throws(() => requireSocketPath('data/', 'webserver-unix-endpoint'), isRefused('configuration', /is a folder/));
});

test(
  'a folder that this user may not write is named',
  { skip: process.getuid?.() === 0 && 'root may write anywhere' },
  async (t) => {
    const folder = makeFolder(t);
    chmodSync(folder, 0o500);
    await assert.rejects(listening(t, join(folder, 'rpc.sock')), isRefused('configuration', /EACCES/));
  },
);

/** One POST over a socket; the status. */
async function post(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const sent = request({ socketPath: path, method: 'POST', path: '/', headers, agent: false });
  const response = new Promise<number>((resolve, reject) => {
    sent.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('error', reject);
  });
  sent.end('{}');
  return await response;
}

test('who can open it is of this machine, by HTTP and by WebSocket; who shows a proxy there is not', async (t) => {
  const path = join(makeFolder(t), 'rpc.sock');
  const requestSources: RequestSource[] = [];
  const answer = (_: Buffer, requestSource: RequestSource): string => (requestSources.push(requestSource), '{}');
  const { server, port } = await listen(t, unixServer.open, {
    unixPath: path,
    allowedHosts: ['*'],
    answer,
    fromCache: () => undefined,
  });
  const last = (): unknown => {
    const requestSource = requestSources.pop();
    return { address: requestSource?.address, isLocal: requestSource?.isLocal };
  };
  assert.equal(port, 0);
  assert.equal(await post(path), 200);
  assert.deepEqual(last(), { address: 'unix', isLocal: true });
  assert.equal(await post(path, { host: 'node.example' }), 200, 'no browser can open it, so each Host is answered');
  assert.deepEqual(last(), { address: 'unix', isLocal: true });
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    assert.equal(await post(path, { [header]: '203.0.113.9' }), 200);
    assert.deepEqual(last(), { address: 'unix', isLocal: false }, header);
  }
  const socket = new WebSocket(`ws+unix:${path}:/`);
  await once(socket, 'open');
  socket.send('{}');
  await once(socket, 'message');
  assert.deepEqual(last(), { address: 'unix', isLocal: true });
  assert.equal(server.webSockets, 1);
  socket.close();
  await once(socket, 'close');
  await server.close(100);
  assert.equal(existsSync(path), false, 'a clean stop removes it');
});

test('it has a share of connections of its own', async (t) => {
  const path = join(makeFolder(t), 'rpc.sock');
  const limits = { connectionsPerAddress: 2 };
  await listen(t, unixServer.open, { unixPath: path, allowedHosts: ['*'] }, limits);
  const held = [connect(path), connect(path)];
  t.after(() => held.forEach((socket) => socket.destroy()));
  await Promise.all(held.map(async (socket) => await once(socket, 'connect')));
  assert.equal(await post(path), 429);
});
