import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { pastChain } from '../builders/past_chain.ts';
import { producing, run } from './network_nodes.ts';
import { Site } from './site.ts';
import { waitFor } from './wait_for.ts';

const site = new Site();

after(() => site.clear());

test('a witness writes down what it signs beside its data folder, and signs nothing that stands there already', async () => {
  const past = await pastChain(site.path('past'), 20);
  const journal = site.path('past/chain.signed');
  const node = await run(site, past, 'past/chain', ...producing(past));
  await waitFor('a block of its own', async () => ((await node.health()).number > 20 ? true : undefined));
  assert.equal(await node.stop(), 0);
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const last: { slot: number } = JSON.parse(lines.at(-1) ?? '');
  assert.ok(last.slot > 0);

  // As on a machine that was restored from a copy, while another one has gone on.
  const elsewhere = site.path('elsewhere');
  writeFileSync(elsewhere, `${JSON.stringify({ ...last, slot: last.slot + 1_000_000 })}\n`);
  const restored = await run(site, past, 'past/chain', ...producing(past), '--signing-journal', elsewhere);
  const { number } = await restored.health();
  await waitFor('the refusal', () => (restored.stderr.includes('signed with this key already') ? true : undefined));
  assert.equal((await restored.health()).number, number);
  assert.equal(await restored.stop(), 0);

  writeFileSync(elsewhere, 'nonsense\n');
  const damaged = await site.run([
    ...['run', '--genesis-json', past.genesisFile, '--data-dir', past.dataFolder, '--webserver-http-endpoint', '127.0.0.1:0'],
    ...['--signing-journal', elsewhere, ...producing(past)],
  ]);
  assert.deepEqual([damaged.code, /line 1 is damaged/.test(damaged.stderr)], [3, true], damaged.stderr);
});
