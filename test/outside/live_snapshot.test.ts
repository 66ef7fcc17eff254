import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { pastChain } from '../builders/past_chain.ts';
import { producing, run } from './network_nodes.ts';
import { Site } from './site.ts';
import { waitFor } from './wait_for.ts';

const site = new Site();

after(() => site.clear());

test('a node writes a snapshot every so many blocks, keeps the newest, and each is one of a stopped node', async () => {
  const past = await pastChain(site.path('past'), 40);
  const folder = site.path('past', 'chain.snapshots');
  const program = await run(site, past, 'past/chain', ...producing(past), '--snapshot-every-blocks', '1', '--snapshots-kept', '2');
  const written = (): string[] => (existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('snapshot-')) : []);
  const seen = new Set<string>();
  await waitFor('three snapshots', () => {
    for (const name of written()) seen.add(name);
    return seen.size >= 3 || undefined;
  });
  assert.equal(await program.stop(), 0);
  const names = readdirSync(folder).toSorted();
  assert.deepEqual([names.length, names.every((name) => /^snapshot-\d+\.avro$/.test(name))], [2, true], names.join());
  const [name = ''] = names;
  const loaded = site.path('loaded');
  const load = await site.run(['snapshot', 'load', site.path('past', 'chain.snapshots', name), '--data-dir', loaded, '--own']);
  assert.equal(load.code, 0, load.stderr);
  const again = site.path('again.avro');
  assert.equal((await site.run(['snapshot', 'create', '--data-dir', loaded, '--out', again])).code, 0);
  assert.deepEqual(readFileSync(again), readFileSync(site.path('past', 'chain.snapshots', name)));
});
