import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { RandomSource } from '../builders/random_source.ts';
import { pastChain } from '../builders/past_chain.ts';
import { agree, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

/** Several ranges; by command as long as one likes, 200 000 being what a chain makes in a week. */
const BLOCKS = Number(process.env['PHAROS_SYNC_BLOCKS'] ?? 6000);
const KILLS = Number(process.env['PHAROS_SYNC_KILLS'] ?? 4);

/** Waits for a block as long as there are new ones; the head then. */
async function reached(program: Program, place: number): Promise<number> {
  for (let head = -1; ;) {
    const before = head;
    head = await waitUntil(`a block above ${before}`, async () => {
      const { number } = await program.health();
      return number > before ? number : undefined;
    });
    if (head >= place) return head;
  }
}

test(`${BLOCKS} blocks are fetched by a node that is killed ${KILLS} times at any block, and none is fetched twice for that`, async (t) => {
  const seed = Number(process.env['PHAROS_SYNC_SEED'] ?? Date.now() % 1_000_000);
  t.diagnostic(`PHAROS_SYNC_SEED=${seed}`);
  const randomSource = new RandomSource(seed);
  const past = await pastChain(site.path('past'), BLOCKS);
  const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
  const follow = ['--p2p-seed-node', `127.0.0.1:${peerPort(maker)}`];
  let newcomer = await run(site, past, 'newcomer', ...follow);
  // In the middle, and anywhere.
  const places = [
    Math.trunc(BLOCKS / 2),
    ...Array.from({ length: KILLS - 1 }, () => randomSource.roll(BLOCKS)),
  ].toSorted((a, b) => a - b);
  for (const place of places) {
    const killed = newcomer;
    const seen = await reached(killed, place);
    killed.kill();
    await killed.exited;
    newcomer = await run(site, past, 'newcomer', ...follow);
    const [, resumed] = /head block (\d+)/.exec(newcomer.stderr) ?? assert.fail(newcomer.stderr);
    assert.ok(Number(resumed) >= seen, `it goes on at block ${resumed}, and was killed behind block ${seen}`);
  }
  await reached(newcomer, BLOCKS);
  await agree([maker, newcomer], BLOCKS);
  for (const program of [newcomer, maker]) assert.equal(await program.stop(), 0);
  // As long as it takes: so many blocks are read again, one by one.
  const verifying = site.start(['verify', '--data-dir', site.path('newcomer'), '--genesis', past.genesisFile]);
  assert.equal(await verifying.exited, 0, verifying.stderr);
});
