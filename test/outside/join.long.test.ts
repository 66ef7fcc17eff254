import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { numberMember, textMember } from './json.ts';
import { agree, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { send, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

/** A node that follows a development chain, in a folder of its own. */
async function joined(port: string, folder: string, ...flags: readonly string[]): Promise<Program> {
  const program = site.start([
    'dev',
    '--join',
    `127.0.0.1:${port}`,
    '--data-dir',
    site.path(folder),
    '--port',
    '0',
    ...flags,
  ]);
  await program.ready();
  return program;
}

test('a development chain is joined by one command, whose node follows it through time and takes its transactions', async () => {
  // Slow enough that all nodes are seen at one head.
  const maker = await site.dev('--p2p-endpoint', '127.0.0.1:0', '--block-interval-ms', '1000');
  const port = peerPort(maker);
  await maker.result('debug_api.produce_blocks', { count: 300 });
  const follower = await joined(port, 'joined', '--p2p-endpoint', '127.0.0.1:0');
  const { number } = await agree([maker, follower], 300);

  const { block } = await send(follower, [transfer('alice', 'bob', '1.000000')], 'alice');
  assert.ok(block > number);
  // A year, then a century less than there is.
  for (const seconds of [31_536_000, 2_000_000_000]) {
    const moved = await maker.result('debug_api.jump_ahead', { seconds });
    await agree([maker, follower], numberMember(moved, 'head_block_number') - 1);
  }
  assert.equal((await follower.refusal('debug_api.produce_blocks', {})).name, 'method_not_found');

  // Who joins the follower learns the same of it.
  const third = await joined(peerPort(follower), 'third');
  const now = await agree([maker, follower, third], block);

  assert.equal(await follower.stop(), 0);
  const again = await joined(port, 'joined', '--p2p-endpoint', `127.0.0.1:${peerPort(follower)}`);
  await agree([maker, again, third], now.number);
  for (const program of [again, third, maker]) assert.equal(await program.stop(), 0);
});

test('a block that the chain takes back is taken back by who follows it, once another branch is longer', async () => {
  const maker = site.start([
    ...[
      'dev',
      '--data-dir',
      site.path('maker'),
      '--port',
      '0',
      '--p2p-endpoint',
      '127.0.0.1:0',
      '--block-interval-ms',
      '600000',
    ],
  ]);
  await maker.ready();
  const follower = await joined(peerPort(maker), 'reverting');
  await maker.result('debug_api.produce_blocks', { count: 20 });
  const snapshot = await maker.result('debug_api.snapshot');
  await maker.result('debug_api.produce_blocks', { count: 3 });
  const before = await agree([maker, follower], 22);
  await maker.result('debug_api.revert', { id: textMember(snapshot, 'id') });
  await maker.result('debug_api.jump_ahead', { seconds: 3600 });
  await maker.result('debug_api.produce_blocks', { count: 4 });
  const now = await agree([maker, follower], 24);
  assert.notEqual(now.stateHash, before.stateHash);
  for (const program of [follower, maker]) assert.equal(await program.stop(), 0);
});

test('joining says what is wrong: nobody there, no development chain, another chain in the folder', async () => {
  const first = await site.dev('--p2p-endpoint', '127.0.0.1:0', '--data-dir', site.path('first'));
  const dev = (...flags: readonly string[]): ReturnType<Site['run']> =>
    site.run(['dev', '--port', '0', '--data-dir', site.path('wrong'), ...flags]);
  const nobody = await dev('--join', '127.0.0.1:1');
  assert.deepEqual(
    [nobody.code, /cannot join 127\.0\.0\.1:1: .*ECONNREFUSED/.test(nobody.stderr)],
    [1, true],
    nobody.stderr,
  );
  assert.ok(!existsSync(site.path('wrong')), 'nothing is left behind');
  const follower = await joined(peerPort(first), 'wrong');
  await waitUntil('a block', async () => ((await follower.health()).number > 0 ? true : undefined));
  await follower.stop();
  const other = await site.dev(
    '--p2p-endpoint',
    '127.0.0.1:0',
    '--data-dir',
    site.path('other'),
    '--profile',
    'lineage',
  );
  const another = await dev('--join', `127.0.0.1:${peerPort(other)}`);
  assert.equal(another.code, 2);
  assert.match(another.stderr, /another chain lies in .*wrong.*--fresh/);
  const makes = await dev('--join', `127.0.0.1:${peerPort(first)}`, '--block-interval-ms', '200');
  assert.deepEqual([makes.code, /makes no blocks/.test(makes.stderr)], [2, true]);
});
