import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { numberMember, textMember } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { NatsServer } from './nats_server.ts';
import { OlderCopy } from './older_copy.ts';

// Servers and their operators disturb a node that writes. It makes blocks all the same, says what is wrong, and goes on
// once that is mended.

const site = new Site();

after(() => site.clear());

const MOST_MESSAGE_BYTES = 512 * 1024;

async function startServer(t: TestContext, name: string, settings = ''): Promise<NatsServer> {
  const server = await NatsServer.start(site.path(name), settings);
  t.after(() => server.stop());
  return server;
}

async function startChain(
  t: TestContext,
  name: string,
  address: string,
  flags: readonly string[] = [],
): Promise<Program> {
  const own = ['dev', '--data-dir', site.path(name), '--port', '0', '--no-mining', '--silent', '--sink-nats', address];
  const program = site.start([...own, ...flags]);
  t.after(() => program.kill());
  await program.ready();
  return program;
}

async function produce(program: Program, count: number): Promise<void> {
  await program.result('debug_api.produce_blocks', { count });
}

async function document(program: Program, text: string): Promise<void> {
  const json = JSON.stringify({ text });
  const operation = ['custom_json', { fee: '100.000000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json }];
  await program.result('debug_api.send_unsigned', { op_vec: [operation] });
}

/** Returns the output of the check once the stream has all of the chain. */
async function caughtUp(
  program: Program,
  server: NatsServer,
  isThere = (stdout: string, id: string): boolean => stdout.includes(id),
): Promise<string> {
  const id = textMember(await program.result('database_api.get_dynamic_global_properties'), 'head_block_id');
  const flags = ['--nats', `nats://127.0.0.1:${server.port}`, '--url', `http://127.0.0.1:${program.port}`];
  return await waitUntil('the stream to have the chain', async () => {
    const { code, stdout } = await site.run(['stream', 'check', ...flags]);
    return code === 0 && isThere(stdout, id) ? stdout : undefined;
  });
}

async function said(program: Program, what: RegExp): Promise<void> {
  await waitUntil(`${what.source} in the log`, () => (what.test(program.stderr) ? true : undefined));
}

/** Changes the stream as an operator does with a separate tool; the name is that of the only stream. */
async function operate<T>(
  server: NatsServer,
  run: (manager: JetStreamManager, stream: string) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: `127.0.0.1:${server.port}` });
  try {
    const manager = await jetstreamManager(connection);
    return await run(manager, (await manager.streams.names('pharos.>').next())[0] ?? '');
  } finally {
    await connection.close();
  }
}

/** Takes connections and answers nothing. */
async function silentServer(t: TestContext): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(
    0,
    '127.0.0.1',
  );
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a server that takes the connection and never answers holds up neither blocks nor the end of the node', async (t) => {
  const program = await startChain(t, 'silent', `nats://127.0.0.1:${await silentServer(t)}`);
  await produce(program, 200);
  const head = await program.result('database_api.get_dynamic_global_properties');
  assert.equal(numberMember(head, 'head_block_number'), 200);
  assert.equal((await program.http('GET', '/readyz', {})).status, 200);
  program.interrupt();
  assert.equal(await program.exited, 0, program.stderr);
});

test('JetStream that is not on, a limit of messages that is too low and a stream that is full are said, and mended while the node runs', async (t) => {
  const off = await startServer(t, 'off', 'jetstream: off');
  const program = await startChain(t, 'unlucky', `nats://127.0.0.1:${off.port}`);
  await said(program, /can not be written: .*JetStream is not on/);
  program.kill();
  await program.exited;
  const low = await startServer(t, 'low', 'max_payload: 100KB');
  const second = await startChain(t, 'unlucky', `nats://127.0.0.1:${low.port}`);
  await said(second, /can not be written: .*max_payload is 102400 bytes/);
  second.kill();
  await second.exited;
  const server = await startServer(t, 'full');
  const third = await startChain(t, 'unlucky', server.url);
  await produce(third, 3);
  await caughtUp(third, server);
  await operate(server, async (manager, stream) => {
    const { state } = await manager.streams.info(stream);
    await manager.streams.update(stream, { max_bytes: state.bytes + 2000, discard: 'new' });
  });
  for (let block = 0; block < 5; block++) await produce(third, 10);
  await said(
    third,
    /can not be written: the stream pharos-\w+ is full \(maximum bytes exceeded\): give it or its server more room/,
  );
  await operate(server, async (manager, stream) => void (await manager.streams.update(stream, { max_bytes: -1 })));
  await caughtUp(third, server);
});

test('a stream that is deleted while the node runs is written again from the first block; one that loses its beginning, or all of it, goes on', async (t) => {
  const server = await startServer(t, 'deleted');
  const program = await startChain(t, 'deleted_chain', server.url);
  await produce(program, 5);
  await caughtUp(program, server);
  await operate(server, async (manager, stream) => void (await manager.streams.delete(stream)));
  await produce(program, 5);
  await said(program, /lacks messages that its server had acknowledged/);
  await waitUntil(
    'health to tell of it',
    async () => /lacked \d+ messages/.test((await program.http('GET', '/health', {})).body) || undefined,
  );
  assert.match(await caughtUp(program, server), / 10 blocks with /);
  await operate(server, async (manager, stream) => {
    const { state } = await manager.streams.info(stream);
    await manager.streams.purge(stream, { seq: state.last_seq - 1 });
  });
  await produce(program, 2);
  assert.match(await caughtUp(program, server), /begins with message \d+ and block \d+;/);
  await operate(server, async (manager, stream) => void (await manager.streams.purge(stream)));
  await produce(program, 1);
  assert.match(await caughtUp(program, server), / 1 blocks with .* and block 13;/);
});

test('messages that were lost while the node was stopped are told by its next start, and by no later one', async (t) => {
  const LOST = /lacks messages that its server had acknowledged/;
  const server = await startServer(t, 'set_back');
  const copy = new OlderCopy({ store: server.store, stop: () => server.kill(), start: () => server.begin() });
  t.after(() => copy.remove());
  const first = await startChain(t, 'set_back_chain', server.url);
  await produce(first, 5);
  await caughtUp(first, server);
  await copy.take();
  await produce(first, 5);
  await caughtUp(first, server);
  first.interrupt();
  assert.equal(await first.exited, 0, first.stderr);
  assert.doesNotMatch(first.stderr, LOST);
  await copy.setBack();
  const second = await startChain(t, 'set_back_chain', server.url);
  await said(second, LOST);
  await waitUntil(
    'health to tell of it',
    async () => /lacked \d+ messages/.test((await second.http('GET', '/health', {})).body) || undefined,
  );
  assert.match(await caughtUp(second, server), / 10 blocks with /);
  second.interrupt();
  await second.exited;
  const third = await startChain(t, 'set_back_chain', server.url);
  await produce(third, 1);
  await caughtUp(third, server);
  assert.doesNotMatch(third.stderr, LOST);
});

test('two nodes of one chain write to one stream without a repeat', async (t) => {
  const server = await startServer(t, 'shared');
  const flags = ['--sink-nats-operations', 'false'];
  const first = await startChain(t, 'shared_one', server.url, flags);
  await produce(first, 2);
  first.kill();
  await first.exited;
  cpSync(site.path('shared_one'), site.path('shared_other'), { recursive: true });
  const [one, other] = [
    await startChain(t, 'shared_one', server.url, flags),
    await startChain(t, 'shared_other', server.url, flags),
  ];
  // Without transactions both make the same blocks, at the same time.
  for (let turn = 0; turn < 6; turn++) await Promise.all([produce(one, 5), produce(other, 5)]);
  assert.match(await caughtUp(one, server), / 32 blocks with .*, 0 undone,/);
  await document(other, 'a branch');
  await produce(other, 3);
  await caughtUp(other, server);
  await produce(one, 2);
  await waitUntil('the turns of both', async () => {
    const { code, stdout, stderr } = await site.run(['stream', 'check', '--nats', `nats://127.0.0.1:${server.port}`]);
    assert.equal(code, 0, `${stdout}${stderr}`);
    return /, [1-9]\d* undone,/.test(stdout) ? true : undefined;
  });
  other.kill();
  await other.exited;
  await produce(one, 1);
  await caughtUp(one, server);
});

test('a stream of irreversible blocks only undoes nothing, and no message with its headers has more than 512 KiB', async (t) => {
  const server = await startServer(t, 'final');
  const flags = [
    '--sink-nats-irreversible-only',
    'true',
    '--sink-nats-format',
    'json',
    '--maximum-block-size',
    '1048576',
  ];
  const program = await startChain(t, 'final_chain', server.url, flags);
  // In force behind a round of witnesses.
  await produce(program, 110);
  for (let k = 0; k < 150; k++) await document(program, `${k}${'"\\'.repeat(900)}`);
  for (let round = 0; round < 3; round++) {
    await produce(program, 20);
    await program.result('debug_api.fork', { blocks: 3, keep_transactions: true });
  }
  const state = await program.result('database_api.get_dynamic_global_properties');
  const final = numberMember(state, 'last_irreversible_block_num');
  assert.ok(final > 3, String(final));
  const text = await caughtUp(program, server, (stdout) => stdout.includes(`it ends with block ${final}, `));
  assert.match(text, / 0 undone,/);
  await operate(server, async (manager, stream) => {
    const { state: found } = await manager.streams.info(stream);
    let most = 0;
    for (let seq = found.first_seq; seq <= found.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream, { seq });
      let headers = 12 + 2;
      for (const [name, values] of message?.header ?? [])
        for (const value of values) headers += name.length + value.length + 4;
      most = Math.max(most, headers + (message?.data.length ?? 0));
      assert.doesNotMatch(message?.subject ?? '', /\.undo$/);
    }
    assert.ok(most <= MOST_MESSAGE_BYTES, `${most} bytes`);
    assert.ok(most > MOST_MESSAGE_BYTES / 2, `${most} bytes`);
  });
});
