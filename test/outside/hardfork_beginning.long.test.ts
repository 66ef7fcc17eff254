import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { agree, peerPort } from './network_nodes.ts';
import { NEXT_HARDFORK, NEXT_VERSION, NextRelease } from './next_release.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { fetchHardforks, type Release } from './witness_fleet.ts';

// A chain that the former release begins after the time of the next hardfork, with two builds of the program.

const site = new Site();
after(() => site.clear());

const OUTDATED = 8;
const BLOCKS = 8;
const GENESIS = ['--genesis-json', 'genesis.json'];
const DOORS = ['--webserver-http-endpoint', '127.0.0.1:0', '--p2p-endpoint', '127.0.0.1:0'];
const PRODUCTION = [
  ...['--witness', 'initminer', '--private-key-file', 'keys/initminer.signing.key', '--enable-stale-production'],
  ...['--required-participation', '0', '--accept-low-participation'],
];

async function run(folder: string, flags: readonly string[], release?: Release): Promise<Program> {
  const words = ['run', ...GENESIS, ...DOORS, '--data-dir', folder, ...flags];
  const program = site.start(words, release?.environment, release?.machine);
  await program.ready();
  return program;
}

async function head(program: Program, number: number): Promise<void> {
  await waitUntil(`block ${number}`, async () => (await program.health()).number >= number || undefined);
}

test('a chain that the former release begins after the time of a hardfork is the same in the next one, which activates it by votes', async () => {
  const release = NextRelease.build(site.path('next')).at(1_600_000_000);
  const flags = ['--preset', 'private', '--witnesses', '1', '--set', 'block_interval=1'];
  const made = await site.run([
    ...['genesis', 'create', '--name', 'begun-before', ...flags],
    ...['--out', 'genesis.json', '--keys', 'keys'],
  ]);
  assert.equal(made.code, 0, made.stderr);
  const old = await run('old', PRODUCTION);
  await head(old, BLOCKS);
  const seed = ['--p2p-seed-node', `127.0.0.1:${peerPort(old)}`];
  const follower = await run('follower', seed, release);
  await agree([old, follower], BLOCKS);
  assert.equal((await fetchHardforks(follower)).last, NEXT_HARDFORK - 1);
  for (const program of [follower, old]) assert.equal(await program.stop(), 0, program.stderr);

  const exported = await site.run(['export', '--data-dir', 'old', '--block-log', 'log']);
  assert.equal(exported.code, 0, exported.stderr);
  const importing = ['import', '--genesis', 'genesis.json', '--block-log', 'log', '--data-dir'];
  const hashes = await Promise.all(
    [undefined, release].map(async (each, index) => {
      const program = site.start([...importing, `imported${index}`], each?.environment, each?.machine);
      assert.equal(await program.exited, 0, program.stderr);
      return /state hash \w+/.exec(program.stderr)?.[0] ?? assert.fail(program.stderr);
    }),
  );
  assert.equal(hashes[0], hashes[1]);

  const next = await run('old', PRODUCTION, release);
  await waitUntil('the hardfork', async () => (await fetchHardforks(next)).current === NEXT_VERSION || undefined);
  assert.equal(await next.stop(), 0, next.stderr);
  const former = site.start(['run', ...GENESIS, ...DOORS, '--data-dir', 'old']);
  assert.equal(await former.exited, OUTDATED, former.stderr);

  // A chain that the next release begins has it from block 1 on.
  const own = await run('own', PRODUCTION, release);
  await head(own, 2);
  assert.equal((await fetchHardforks(own)).last, NEXT_HARDFORK);
  const late = site.start([
    'run',
    ...GENESIS,
    ...DOORS,
    '--data-dir',
    'late',
    '--p2p-seed-node',
    `127.0.0.1:${peerPort(own)}`,
  ]);
  assert.equal(await late.exited, OUTDATED, late.stderr);
  assert.match(late.stderr, /block 1 of this chain applies hardfork 1\.3\.0, which this program does not know/);
  assert.equal(await own.stop(), 0, own.stderr);
});
