import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import {
  jetstreamManager,
  RetentionPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { listMember, textMember, type Json } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { NatsServer } from './nats_server.ts';

// Streams that somebody has set up beforehand, or writes into, or clears: a node says what is wrong with them, or goes
// on.

const site = new Site();

after(() => site.clear());

interface Place {
  readonly server: NatsServer;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  /** The address of the node's own server. */
  readonly url: string;
}

async function makePlace(t: TestContext, name: string): Promise<Place> {
  const server = await NatsServer.start(site.path(name));
  const connection = await connect({ servers: `127.0.0.1:${server.port}` });
  t.after(async () => {
    await connection.close();
    await server.stop();
  });
  return { server, connection, manager: await jetstreamManager(connection), url: `nats://127.0.0.1:${server.port}` };
}

async function startChain(
  t: TestContext,
  name: string,
  { url }: Pick<Place, 'url'>,
  flags: readonly string[] = [],
): Promise<Program> {
  const own = ['dev', '--data-dir', site.path(name), '--port', '0', '--no-mining', '--sink-nats', url];
  const program = site.start([...own, ...flags]);
  t.after(() => program.kill());
  await program.ready();
  return program;
}

async function end(program: Program): Promise<void> {
  program.kill();
  await program.exited;
}

async function produce(program: Program, count: number): Promise<void> {
  await program.result('debug_api.produce_blocks', { count });
}

async function said(program: Program, what: RegExp): Promise<void> {
  await waitUntil(`${what.source} in the log`, () => (what.test(program.stderr) ? true : undefined));
}

/** Returns the output of the check once the stream has all of the chain. */
async function caughtUp(program: Program, { url }: Place, stream?: string): Promise<string> {
  const id = textMember(await program.result('database_api.get_dynamic_global_properties'), 'head_block_id');
  const named = stream === undefined ? [] : ['--stream', stream];
  return await waitUntil('the stream to have the chain', async () => {
    const { code, stdout } = await site.run([
      'stream',
      'check',
      '--nats',
      url,
      ...named,
      '--url',
      `http://127.0.0.1:${program.port}`,
    ]);
    return code === 0 && stdout.includes(id) ? stdout : undefined;
  });
}

async function fetchProblems(program: Program): Promise<readonly Json[]> {
  const page: Json = JSON.parse((await program.http('GET', '/health', {})).body);
  return listMember(page, 'problems');
}

test('a stream that does not keep what somebody has read, or answers nothing, is not written to', async (t) => {
  const place = await makePlace(t, 'kinds');
  const first = await startChain(t, 'kinds_chain', place);
  await produce(first, 2);
  await caughtUp(first, place);
  const [name = ''] = await place.manager.streams.names().next();
  await end(first);
  for (const [wrong, message] of [
    [
      { retention: RetentionPolicy.Workqueue },
      /can not be written: the stream pharos-\w+ forgets messages .*retention: limits/,
    ],
    [
      { retention: RetentionPolicy.Interest },
      /can not be written: the stream pharos-\w+ forgets messages .*retention: limits/,
    ],
    [{ no_ack: true }, /can not be written: the stream pharos-\w+ does not say what it has taken .*no_ack/],
  ] as const satisfies readonly (readonly [Partial<StreamConfig>, RegExp])[]) {
    await place.manager.streams.delete(name);
    await place.manager.streams.add({ name, subjects: [`${name.replace('-', '.')}.>`], ...wrong });
    const program = await startChain(t, 'kinds_chain', place);
    await produce(program, 1);
    await said(program, message);
    assert.equal((await place.manager.streams.info(name)).state.last_seq, 0);
    await end(program);
  }
});

test('where another stream takes the subjects already, the node says which setting names it, and writes there', async (t) => {
  const place = await makePlace(t, 'overlap');
  await place.manager.streams.add({ name: 'EVENTS', subjects: ['pharos.>'] });
  const program = await startChain(t, 'overlap_chain', place);
  await produce(program, 2);
  await said(program, /can not be written: .*another stream takes .*sink-nats-stream/);
  await end(program);
  const second = await startChain(t, 'overlap_chain', place, ['--sink-nats-stream', 'EVENTS']);
  await produce(second, 2);
  await caughtUp(second, place, 'EVENTS');
  await end(second);
  // One stream has one chain.
  const other = await startChain(t, 'overlap_other', place, ['--sink-nats-stream', 'EVENTS', '--seed', 'other']);
  await produce(other, 2);
  await said(
    other,
    /can not be written: the last message of the stream EVENTS, \d+, is of pharos\.[\w.]+, another chain/,
  );
  assert.match(
    await caughtUp(await startChain(t, 'overlap_chain', place, ['--sink-nats-stream', 'EVENTS']), place, 'EVENTS'),
    / 0 undone/,
  );
});

test('a message of a stranger is said, and once it is removed the node goes on behind its own, from one branch to another too', async (t) => {
  const place = await makePlace(t, 'stranger');
  const program = await startChain(t, 'stranger_chain', place);
  await produce(program, 3);
  await caughtUp(program, place);
  const [stream = ''] = await place.manager.streams.names().next();
  place.connection.publish(`${stream.replace('-', '.')}.block`, 'hello');
  await place.connection.flush();
  await produce(program, 2);
  await said(program, /can not be written: the last message of the stream pharos-\w+, \d+, is not one of a node/);
  const { state } = await place.manager.streams.info(stream);
  await place.manager.streams.deleteMessage(stream, state.last_seq);
  await program.result('debug_api.fork', { blocks: 4, keep_transactions: true });
  await waitUntil('the stream to go on', async () => ((await fetchProblems(program)).length === 0 ? true : undefined));
  // Of the message that was removed there is a gap.
  const { stdout } = await waitUntil('the check', async () => {
    const found = await site.run(['stream', 'check', '--nats', place.url, '--url', `http://127.0.0.1:${program.port}`]);
    const id = textMember(await program.result('database_api.get_dynamic_global_properties'), 'head_block_id');
    return found.stdout.includes(id) ? found : undefined;
  });
  assert.match(stdout, /, [1-9] undone,/);
  assert.match(stdout, /1 messages are missing before it/);
  assert.equal(stdout.match(/^\s*message \d+: /gm)?.length ?? 0, 1, stdout);
});

test('while a stream takes nothing the node says so once, and is not well in between', async (t) => {
  const place = await makePlace(t, 'full');
  const program = await startChain(t, 'full_chain', place);
  await produce(program, 3);
  await caughtUp(program, place);
  const [stream = ''] = await place.manager.streams.names().next();
  const { state } = await place.manager.streams.info(stream);
  await place.manager.streams.update(stream, { max_msgs: state.messages, discard: DiscardPolicy.New });
  await produce(program, 2);
  await said(program, /can not be written: the stream pharos-\w+ is full/);
  await waitUntil('the problem of /health', async () =>
    (await fetchProblems(program)).length === 1 ? true : undefined,
  );
  // It is tried each five seconds.
  for (let look = 0; look < 60; look++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await fetchProblems(program)).length, 1, program.stderr);
  }
  assert.equal(program.stderr.match(/is full/g)?.length, 1, program.stderr);
  await place.manager.streams.update(stream, { max_msgs: -1 });
  await caughtUp(program, place);
  await waitUntil('the end of the problem', async () =>
    (await fetchProblems(program)).length === 0 ? true : undefined,
  );
});

test('a stream whose messages have all gone while the node was off begins again', async (t) => {
  const place = await makePlace(t, 'expired');
  const first = await startChain(t, 'expired_chain', place);
  await produce(first, 3);
  await caughtUp(first, place);
  await end(first);
  const [stream = ''] = await place.manager.streams.names().next();
  await place.manager.streams.purge(stream);
  const second = await startChain(t, 'expired_chain', place);
  await produce(second, 1);
  assert.match(await caughtUp(second, place), / 4 blocks with .* and block 1;/);
});
