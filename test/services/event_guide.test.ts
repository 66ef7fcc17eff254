import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Reader } from '../pages/guides/reader.ts';
import { at, textMember, type Json } from '../outside/json.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { isLong, project } from './commands.ts';

// The guides to the event stream, typed as they stand there, one after the other.

const guide = readFileSync(join(project, 'src/pages/guides/events.md'), 'utf8');

test('each command and program of the guides does what it says, in its order', async () => {
  const reader = await Reader.of(['events', 'events_javascript', 'events_resume', 'events_python']);
  try {
    const [
      serve = '',
      start = '',
      pay = '',
      check = '',
      bob = '',
      schema = '',
      follow = '',
      install = '',
      alice = '',
      ...more
    ] = reader.guide.commands;
    assert.deepEqual(more, []);
    await reader.start(serve, /Server is ready/);
    await reader.start(start, /Ctrl-C stops/);
    await reader.run(pay);
    assert.match(await reader.run(check), /compared with the chain\n$/);
    assert.match(await reader.run(bob), /^\S+ \d+ transfer 3\.000000\n\S+ \d+ transfer 0\.500000\n$/);
    await reader.run(schema);
    const stop = await reader.start(follow, /^block 1 with \d+ operations, \w+\n[^]*block 2 /);
    await stop();
    await reader.start(follow, /^block (?!1 )\d+ with /);
    // Debian has no nats-py: the long form fetches it, and needs pip and PyPI, or pip's own index with it.
    if (isLong) await reader.run(install);
    if (isLong) assert.match(await reader.run(alice), /^\S+ \d+ transfer -3\.010000\n\S+ \d+ transfer -0\.510000\n$/);
    await commandLine(reader.port('4222'));
    await otherBranches(reader, bob, pay);
  } finally {
    await reader.leave();
  }
});

/** Branches with and without payments replace each other: the statement comes to what bob has. */
async function otherBranches(reader: Reader, bob: string, pay: string): Promise<void> {
  const chain = `http://127.0.0.1:${reader.port('9193')}`;
  for (let turn = 0; turn < 3; turn++) {
    if (turn > 0) await reader.run(pay);
    await ask(chain, 'debug_api.fork', { blocks: 3, keep_transactions: turn === 1 });
    await ask(chain, 'debug_api.produce_blocks', { count: 2 });
    await waitUntil('the statement to come to the balance', async () => {
      const lines = (await reader.run(bob)).trim().split('\n');
      const received = lines.reduce((sum, line) => sum + Number((line.split(' ')[3] ?? '0').replace('.', '')), 0);
      const balance = textMember(
        await ask(chain, 'alexandria_api.get_account', { account_name: 'bob' }),
        'account.0.balance',
      );
      return balance === `${((10_000_000e6 + received) / 1e6).toFixed(6)} COIN` ? true : undefined;
    });
  }
}

async function ask(url: string, method: string, params: Json): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer: Json = JSON.parse(await (await fetch(url, { method: 'POST', body })).text());
  return at(answer, 'result');
}

/**
 * Asks the server for what the commands of the guide ask it for: the program `nats` itself can't be had from Debian.
 */
async function commandLine(port: string): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  try {
    const manager = await jetstreamManager(connection);
    const [stream = ''] = await manager.streams.names('pharos.>').next();
    const commands = [...guide.matchAll(/^\$ nats (.*)$/gm)].map(([, line = '']) =>
      line.replaceAll('0123abcd', stream.slice(-8)),
    );
    assert.equal(commands.length, 7);
    for (const command of commands)
      await asked({ connection, manager, stream }, command.replaceAll("'", '').split(' '));
  } finally {
    await connection.close();
  }
}

interface Asked {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly stream: string;
}

async function asked({ connection, manager, stream }: Asked, words: readonly string[]): Promise<void> {
  const [what, verb = '', ...rest] = words;
  const after = (flag: string): string => words[words.indexOf(flag) + 1] ?? assert.fail(flag);
  switch (
    what === 'subscribe' && words.includes('--stream')
      ? 'subscribe to stream'
      : `${what} ${what === 'subscribe' ? '' : verb}`.trim()
  ) {
    case 'stream ls':
      return assert.ok((await manager.streams.names().next()).includes(stream));
    case 'stream info':
    case 'stream view':
      return assert.ok((await manager.streams.info(rest[0] ?? '')).state.messages > 0);
    case 'subscribe':
      for await (const { subject } of connection.subscribe(verb, { max: 1 }))
        assert.equal(subject, `${stream.replace('-', '.')}.block`);
      return;
    case 'subscribe to stream':
      assert.equal(after('--stream'), stream);
      return await transfers({ connection, manager, stream }, 'all', verb);
    case 'consumer add':
      return await transfers({ connection, manager, stream }, rest[1] ?? '', after('--filter'));
    case 'consumer next':
      return assert.equal((await manager.consumers.info(rest[0] ?? '', rest[1] ?? '')).num_pending, 0);
    default:
      assert.fail(words.join(' '));
  }
}

/** A consumer of that name and filter, and the two transfers that it finds. */
async function transfers({ connection, manager, stream }: Asked, name: string, filter: string): Promise<void> {
  await manager.consumers.add(stream, {
    durable_name: name,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
  });
  const consumer = await jetstream(connection).consumers.get(stream, name);
  const amounts: unknown[] = [];
  for await (const message of await consumer.fetch({ max_messages: 2 })) {
    const { OperationEvent: event } = message.json<{ OperationEvent: { operation: { value: { amount: string } } } }>();
    amounts.push(event.operation.value.amount);
    message.ack();
  }
  assert.deepEqual(amounts, ['3.000000 COIN', '0.500000 COIN']);
}
