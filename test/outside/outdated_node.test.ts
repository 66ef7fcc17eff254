import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { NewerProgram } from '../builders/newer_program.ts';
import { at, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

const OUTDATED = 8;
const newer = new NewerProgram();
const genesisFile = site.path('genesis.json');
const data = site.path('node');

writeFileSync(genesisFile, newer.genesisText);

async function started(): Promise<Program> {
  const program = site.start([
    ...['run', '--genesis-json', genesisFile, '--data-dir', data],
    ...['--webserver-http-endpoint', '127.0.0.1:0'],
  ]);
  await program.ready();
  return program;
}

async function give(program: Program, text: string): Promise<void> {
  const block: Json = JSON.parse(text);
  await program.result('network_broadcast_api.broadcast_block', { block });
}

/** Sends the block over which the node stops, with or without an answer. */
async function giveLast(program: Program, text: string): Promise<number | null> {
  const block: Json = JSON.parse(text);
  const call = { jsonrpc: '2.0', id: 1, method: 'network_broadcast_api.broadcast_block', params: { block } };
  await program.raw(JSON.stringify(call)).catch(() => undefined);
  return await program.exited;
}

test('a node whose program is too old warns, stops before the block of the hardfork, keeps its data, and a newer program goes on', async () => {
  const node = await started();
  // The second block has the vote, and the witnesses have agreed at its end.
  for (const block of [newer.next(), newer.next()]) await give(node, block);
  const page: Json = JSON.parse((await node.http('GET', '/health', {})).body);
  const told = /agreed on version 1\.99\.0, which .* does not know; this node stops when it becomes active, at /;
  assert.match(String(at(page, 'problems')), told);
  const url = `http://127.0.0.1:${node.port}`;
  const status = await site.run(['witness', 'status', 'initminer', '--url', url]);
  assert.match(status.stdout, /1\.99\.0 becomes active at .*\n.* the round runs 1\.99\.0\n.* 1 of 1 vote for 1\.99\.0/);
  assert.match(status.stdout, told);
  const watch = await site.run(['witness', 'watch', 'initminer', '--url', url]);
  assert.equal(watch.code, 7);
  assert.match(watch.stdout, told);
  const doctor = await site.run(['doctor', '--genesis-json', genesisFile, '--data-dir', data, '--url', url]);
  assert.equal(doctor.code, 7);
  assert.match(doctor.stdout, /^hardforks +WRONG +the witnesses have agreed on version 1\.99\.0/m);

  while (!newer.isDue) await give(node, newer.next());
  const { number, stateHash } = newer.head;
  assert.deepEqual(await node.health(), { number, stateHash });
  const block = newer.next();
  assert.equal(await giveLast(node, block), OUTDATED);
  const sentence = new RegExp(
    `^pharos: the witnesses have agreed on hardfork 1\\.99\\.0, which this program does not know .*: it stops before block ${number + 1}, .*; install a release of Pharos that knows it, and start that with the same data folder$`,
    'm',
  );
  assert.match(node.stderr, sentence);
  assert.doesNotMatch(node.stderr, /\n {4}at /);

  const again = await started();
  assert.deepEqual(await again.health(), { number, stateHash });
  assert.equal(await giveLast(again, block), OUTDATED);
  assert.match(again.stderr, sentence);

  await newer.continueFolder(data);
  const applied = /this chain has applied hardfork \d+ \(version 1\.99\.0\), and this program knows version/;
  for (const command of [
    ['run', '--genesis-json', genesisFile, '--data-dir', data, '--webserver-http-endpoint', '127.0.0.1:0'],
    ['verify', '--genesis', genesisFile, '--data-dir', data],
  ]) {
    const { code, stderr } = await site.run(command);
    assert.equal(code, OUTDATED, `${command.join(' ')}: ${stderr}`);
    assert.match(stderr, applied);
  }
});
