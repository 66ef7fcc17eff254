import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, test } from 'node:test';

import { pastChain, type PastChain } from '../builders/past_chain.ts';
import { numberAt, textAt, type Json } from './json.ts';
import type { Health, Program } from './program.ts';
import { send, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitFor } from './wait_for.ts';

const site = new Site();

after(() => site.clear());

const PAST_BLOCKS = 1500; // more than a range

/** A node of that chain. */
async function run({ genesisFile }: PastChain, folder: string, ...flags: readonly string[]): Promise<Program> {
  const program = site.start([
    'run',
    ...['--genesis-json', genesisFile, '--data-dir', site.path(folder)],
    ...['--webserver-http-endpoint', '127.0.0.1:0', ...flags],
  ]);
  await program.ready();
  return program;
}

function peerPortOf(program: Program): string {
  return /peers on (\d+)/.exec(program.stderr)?.[1] ?? assert.fail(`no port for peers is said:\n${program.stderr}`);
}

function nodeIdOf(program: Program): string {
  return /node ([0-9a-f]{64})/.exec(program.stderr)?.[1] ?? assert.fail('no id is said');
}

/** Waits until all have the same head, which is above that number; the head of all. */
async function agree(programs: readonly Program[], above: number): Promise<Health> {
  return await waitFor(`${programs.length} nodes with one head above ${above}`, async () => {
    const heads = await Promise.all(programs.map((program) => program.health()));
    const [first] = heads;
    if (first === undefined || first.number <= above || heads.some(({ number }) => number !== first.number)) return undefined;
    for (const { stateHash } of heads) assert.equal(stateHash, first.stateHash);
    return first;
  });
}

/** Waits until a node says that it is ready and has so many peers; it asks itself each second. */
async function inStep(program: Program, peers: number): Promise<void> {
  await waitFor('a node in step with its peers', async () => {
    const { status, body } = await program.http('GET', '/readyz', {});
    const said: Json = JSON.parse(body);
    const isInStep = status === 200 && textAt(said, 'network') === 'live' && numberAt(said, 'peers') === peers;
    return isInStep && numberAt(said, 'blocks_behind') === 0 ? true : undefined;
  });
}

test('nodes follow one that produces from its first block on and live, whoever of them is killed, and take transactions for it', async () => {
  const past = await pastChain(site.path('past'), PAST_BLOCKS);
  const producing = ['--witness', past.witness, '--private-key', past.wif, '--enable-stale-production', '--required-participation', '0'];
  let maker = await run(past, 'past/chain', ...producing, '--p2p-endpoint', '127.0.0.1:0');
  const seed = ['--p2p-seed-node', `127.0.0.1:${peerPortOf(maker)}`];
  const alwaysThere = ['--p2p-endpoint', `127.0.0.1:${peerPortOf(maker)}`];
  let second = await run(past, 'second', ...seed, '--p2p-endpoint', '127.0.0.1:0');
  const synced = await agree([maker, second], PAST_BLOCKS);
  const live = await agree([maker, second], synced.number);

  await inStep(second, 1);

  // The third knows the second only.
  const third = await run(past, 'third', '--p2p-seed-node', `${nodeIdOf(second)}@127.0.0.1:${peerPortOf(second)}`);
  await agree([maker, second, third], live.number);
  const sent = await send(third, [transfer('alice', 'bob', '1.000000')], 'alice');
  assert.ok(sent.block > live.number);

  second.kill();
  await second.exited;
  const id = nodeIdOf(second);
  second = await run(past, 'second', ...seed, '--p2p-endpoint', `127.0.0.1:${peerPortOf(second)}`);
  assert.equal(nodeIdOf(second), id, 'a node is who it was before');
  assert.equal(statSync(site.path('second', 'p2p_key')).mode & 0o777, 0o600);
  const together = await agree([maker, second, third], sent.block);

  maker.kill();
  await maker.exited;
  maker = await run(past, 'past/chain', ...producing, ...alwaysThere);
  await agree([maker, second, third], together.number);
  const taken = await site.run([
    ...['run', '--genesis-json', past.genesisFile, '--data-dir', site.path('fourth'), '--webserver-http-endpoint', '127.0.0.1:0'],
    ...alwaysThere,
  ]);
  assert.equal(taken.code, 4);
  assert.match(taken.stderr, /p2p-endpoint: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
  for (const program of [third, second, maker]) assert.equal(await program.stop(), 0);
});
