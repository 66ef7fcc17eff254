import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pastChain } from '../builders/past_chain.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';
import { at, textMember, type Json } from './json.ts';
import { peerPort, producing, run } from './network_nodes.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

const SLOT_SECONDS = 1;

after(() => site.clear());

test(
  'a witness writes down what it signs beside its data folder, and signs nothing that stands there already',
  inShortForm,
  async () => {
    const past = await pastChain(site.path('past'), 20, undefined, SLOT_SECONDS);
    const journal = site.path('past/chain.signed');
    const node = await run(site, past, 'past/chain', ...producing(past));
    await waitUntil('a block of its own', async () => ((await node.health()).number > 20 ? true : undefined));
    assert.equal(await node.stop(), 0);
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    const last: { slot: number } = JSON.parse(lines.at(-1) ?? '');
    assert.ok(last.slot > 0);

    // As on a machine that was restored from a copy, while another one has gone on.
    const elsewhere = site.path('elsewhere');
    writeFileSync(elsewhere, `${JSON.stringify({ ...last, slot: last.slot + 1_000_000 })}\n`);
    const restored = await run(site, past, 'past/chain', ...producing(past), '--signing-journal', elsewhere);
    const { number } = await restored.health();
    await waitUntil('the refusal', () => (restored.stderr.includes('signed with this key already') ? true : undefined));
    assert.equal((await restored.health()).number, number);
    assert.equal(await restored.stop(), 0);

    writeFileSync(elsewhere, 'nonsense\n');
    const peers = ['--p2p-endpoint', '127.0.0.1:0'];
    const damaged = await run(site, past, 'past/chain', ...producing(past), '--signing-journal', elsewhere, ...peers);
    await waitUntil('the wait', () =>
      /line 1 is damaged[^]*others.? blocks, \d+ seconds/.test(damaged.stderr) ? true : undefined,
    );
    await setTimeout(2500 * SLOT_SECONDS);
    assert.equal((await damaged.health()).number, number);
    assert.equal(await damaged.stop(), 0);
  },
);

test(
  'a second machine with the same key watches first, stops when it sees the other’s blocks, and hears of its operator’s unlocking',
  inLongForm,
  async () => {
    const past = await pastChain(site.path('twins'), 20);
    const first = await run(site, past, 'twins/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
    const seed = ['--p2p-seed-node', `127.0.0.1:${peerPort(first)}`];
    const journal = ['--signing-journal', site.path('second.signed')];
    const second = await run(site, past, 'second', ...producing(past), ...seed, ...journal);
    const health = async (): Promise<Json> => JSON.parse((await second.http('GET', '/health', {})).body);
    await waitUntil(
      'the error of /health',
      async () => JSON.stringify(await health()).includes('another machine signs with') || undefined,
    );
    assert.equal(textMember(await health(), 'status'), 'error');
    assert.equal((await second.http('GET', '/readyz', {})).status, 200);
    const before = await second.health();
    await waitUntil('more blocks at the second one', async () =>
      (await second.health()).number > before.number ? true : undefined,
    );
    assert.equal(second.stderr.includes('Generated block'), false, second.stderr);
    assert.equal(await second.stop(), 0);

    const again = [
      'run',
      '--genesis-json',
      past.genesisFile,
      '--data-dir',
      site.path('second'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ];
    const refused = await site.run([...again, ...producing(past), ...seed, ...journal]);
    assert.deepEqual([refused.code, /pharos witness unlock/.test(refused.stderr)], [6, true], refused.stderr);
    const shown = await site.run(['witness', 'journal', ...journal]);
    assert.match(shown.stdout, /signed elsewhere[^]*is locked: another machine signs with it/);
    assert.equal((await site.run(['witness', 'unlock', ...journal])).code, 2);
    assert.match((await site.run(['witness', 'unlock', ...journal, '--yes'])).stdout, /^unlocked; a node that runs/m);
    const said: Json = JSON.parse((await site.run(['witness', 'journal', '--json', ...journal])).stdout);
    assert.deepEqual(at(said, 'locked_keys'), []);
    assert.match((await site.run(['witness', 'unlock', ...journal])).stdout, /no key is locked/);
    assert.equal((await site.run(['witness', 'journal', '--signing-journal', site.path('nowhere')])).code, 2);
    const another = await site.run(['witness', 'unlock', '--signing-journal', past.genesisFile]);
    assert.deepEqual([another.code, /or no signing journal: /.test(another.stderr)], [3, true], another.stderr);
    const third = await run(site, past, 'second', ...producing(past), ...seed, ...journal);
    const obstacle = async (expected: string): Promise<void> => {
      const told = async (): Promise<string> => JSON.stringify(await third.result('witness_node_api.get_production'));
      await waitUntil(expected, async () => (await told()).includes(`"obstacle":"${expected}"`) || undefined);
    };
    await obstacle('foreign');
    assert.equal(await first.stop(), 0);
    assert.equal((await site.run(['witness', 'unlock', ...journal, '--yes'])).code, 0);
    await obstacle('watching');
    assert.equal(await third.stop(), 0);
  },
);
