import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { pastChain } from '../builders/past_chain.ts';
import { optionalMember, numberMember, textMember } from './json.ts';
import { producing, run } from './network_nodes.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

test('a node writes a snapshot every so many blocks, keeps the newest, and each is one of a stopped node', async () => {
  const past = await pastChain(site.path('past'), 40);
  const folder = site.path('past', 'chain.snapshots');
  const program = await run(
    site,
    past,
    'past/chain',
    ...producing(past),
    '--snapshot-every-blocks',
    '1',
    '--snapshots-kept',
    '2',
  );
  const written = (): string[] =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('snapshot-')) : [];
  const seen = new Set<string>();
  await waitUntil('three snapshots', () => {
    for (const name of written()) seen.add(name);
    return seen.size >= 3 || undefined;
  });
  assert.equal(await program.stop(), 0);
  const names = readdirSync(folder).toSorted();
  assert.deepEqual([names.length, names.every((name) => /^snapshot-\d+\.avro$/.test(name))], [2, true], names.join());
  const [name = ''] = names;
  const loaded = site.path('loaded');
  const load = await site.run([
    'snapshot',
    'load',
    site.path('past', 'chain.snapshots', name),
    '--data-dir',
    loaded,
    '--own',
  ]);
  assert.equal(load.code, 0, load.stderr);
  const again = site.path('again.avro');
  assert.equal((await site.run(['snapshot', 'create', '--data-dir', loaded, '--out', again])).code, 0);
  assert.deepEqual(readFileSync(again), readFileSync(site.path('past', 'chain.snapshots', name)));
});

test('on command a running node writes what it would write when it has stopped, for programs of its own machine, one at a time', async () => {
  const past = await pastChain(site.path('still'), 60);
  // Without a witness the chain stands still.
  const program = await run(site, past, 'still/chain');
  const [live, stopped] = [site.path('live.avro'), site.path('stopped.avro')];
  const create = async (...args: string[]): Promise<Finished> => await site.run(['snapshot', 'create', ...args]);
  const url = `http://127.0.0.1:${program.port}`;
  const { code, stdout, stderr } = await create('--url', url, '--out', live);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^chain [0-9a-f]{64} .*\nblock \d+ [0-9a-f]{40}\nstate hash [0-9a-f]{64}\n\d+ rows, \d+ bytes, are in .*live\.avro\nsha256 [0-9a-f]{64}\n$/,
  );
  const answers = await Promise.all([1, 2, 3].map(() => program.call('snapshot_api.create_snapshot')));
  assert.equal(answers.filter((answer) => optionalMember(answer, 'result') !== undefined).length, 1);
  assert.match(JSON.stringify(answers), /snapshot_under_way/);
  const [answer] = answers.flatMap((each) => optionalMember(each, 'result') ?? []);
  assert.equal(
    textMember(answer ?? assert.fail(), 'path'),
    site.path('still', 'chain.snapshots', `snapshot-${numberMember(answer ?? assert.fail(), 'block_number')}.avro`),
  );
  // Who comes through a proxy may be anybody.
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'snapshot_api.create_snapshot', params: {} });
  assert.match((await program.raw(request, { via: '1.1 proxy' })).body, /operator_only/);
  assert.equal(await program.stop(), 0);
  assert.equal(
    (await create('--data-dir', site.path('still', 'chain'), '--genesis', past.genesisFile, '--out', stopped)).code,
    0,
  );
  assert.deepEqual(readFileSync(live), readFileSync(stopped));
  for (const [args, text] of [
    [['--out', live], /either --data-dir.* or --url/],
    [['--url', url, '--data-dir', site.path('still'), '--out', live], /either --data-dir.* or --url/],
    [['--url', url, '--blocks', '--out', live], /--blocks: a running node/],
  ] as const) {
    const refused = await create(...args);
    assert.deepEqual([refused.code, text.test(refused.stderr)], [2, true], refused.stderr);
  }
});
