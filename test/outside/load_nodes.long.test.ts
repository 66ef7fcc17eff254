import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { numberMember, type Json } from './json.ts';
import { agree, inStep, peerPort } from './network_nodes.ts';
import { PrivateNet } from './private_net.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

const net = new PrivateNet(site, 'net');

after(async () => {
  await net.leave();
  await site.clear();
});

/** Returns the number of broadcasts that a node was asked for. */
async function countBroadcasts(program: Program): Promise<number> {
  const url =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  const text = await (await fetch(url)).text();
  return Number(
    /^pharos_rpc_answer_seconds_count\{method="network_broadcast_api\.broadcast_transaction"\} (\d+)$/m.exec(
      text,
    )?.[1] ?? 0,
  );
}

test('two nodes take turns, what either has acknowledged is found at the first, and one that is killed is told', async () => {
  const maker = await site.dev('--fresh', '--metrics-port', '0', '--p2p-endpoint', '127.0.0.1:0');
  const joining = ['dev', '--join', `127.0.0.1:${peerPort(maker)}`, '--data-dir', site.path('second')];
  const second = site.start([...joining, '--port', '0', '--metrics-port', '0']);
  await second.ready();
  await agree([maker, second], 0);
  await inStep(second, 1);
  const urls = [maker, second].flatMap(({ port }) => ['--url', `http://127.0.0.1:${port}`]);
  const file = site.path('two.json');
  const args = ['load', ...urls, '--threads', '1', '--until', 'block', '--json', file, '--batch', '2'];
  const both = await site.run([...args, '--rate', '50', '--duration', '2s']);
  assert.equal(both.code, 0, both.stdout + both.stderr);
  assert.match(both.stdout, /^verdict {6}kept: each is in a block, once$/m);
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual([numberMember(json, 'audit.acknowledged'), numberMember(json, 'refusedCalls')], [100, 0]);
  assert.deepEqual([await countBroadcasts(maker), await countBroadcasts(second)], [50, 50]);

  const running = site.run([...args, '--rate', '40', '--duration', '5s']);
  await waitUntil('some more at the second', async () => ((await countBroadcasts(second)) > 70 ? true : undefined));
  second.kill();
  const one = await running;
  assert.equal(one.code, 0, one.stdout);
  assert.match(one.stdout, /^refused {6}\d+ × connection: ECONNREFUSED$/m);
  const later: Json = JSON.parse(readFileSync(file, 'utf8'));
  const there = ['irreversible', 'reversible', 'forgotten'].map((name) => numberMember(later, `audit.${name}`));
  assert.equal(
    there.reduce((sum, count) => sum + count),
    numberMember(later, 'audit.acknowledged'),
  );
});

test('what four nodes of a net acknowledge is in blocks, although one of them is killed meanwhile', async () => {
  await net.done('up', '--nodes', '4');
  const rows = await net.awaitFinal(0);
  const urls = rows.flatMap(({ url }) => ['--url', url]);
  const file = site.path('net.json');
  const load = ['--rate', '40', '--duration', '6s', '--threads', '1', '--until', 'irreversible', '--json', file];
  const running = site.run(['load', ...urls, ...load]);
  const before = rows[0]?.head ?? 0;
  await waitUntil('blocks under load', async () => ((await net.rows())[0]?.head ?? 0) > before + 3 || undefined);
  await net.done('kill', '3');
  const { code, stdout } = await running;
  assert.equal(code, 0, stdout);
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  const found = ['irreversible', 'reversible', 'forgotten'].map((name) => numberMember(json, `audit.${name}`));
  assert.equal(
    found.reduce((sum, count) => sum + count),
    numberMember(json, 'audit.acknowledged'),
  );
  assert.ok((found[0] ?? 0) > 0, stdout);
  await net.done('up');
  await net.awaitFinal(before + 6);
  await net.done('down', '--delete');
});
