import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { copyJournals } from '../builders/stopped_chain.ts';
import { witnessChain } from '../builders/witness_chain.ts';
import { publicKey, wif } from '../interface/keys.ts';
import { at, numberMember, type Json } from './json.ts';
import { peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// Votes of one witness and of three, as operators meet them: by commands, pages and restarts.

const site = new Site();
after(() => site.clear());

async function fetchPage(program: Program, path = '/health'): Promise<Json> {
  return JSON.parse((await program.http('GET', path, {})).body);
}

/** Waits until what is the head now is irreversible, and a block above that number. */
async function awaitFinal(program: Program, above: number): Promise<number> {
  const head = numberMember(await fetchPage(program), 'head_block_number');
  return await waitUntil(`a final block from ${head} on, above ${above}`, async () => {
    const final = numberMember(await fetchPage(program), 'irreversible_block_number');
    return final >= head && final > above ? final : undefined;
  });
}

function programUrl({ port }: Program): string {
  return `http://127.0.0.1:${port}`;
}

const PRIVATE = ['--initminer-mining-pubkey', publicKey('initminer')];
const MAKES_BLOCKS = ['--witness', 'initminer', '--private-key', wif('initminer'), '--enable-stale-production'];

async function privateNet(folder: string, ...flags: readonly string[]): Promise<Program> {
  const own = ['--data-dir', site.path(folder), '--webserver-http-endpoint', '127.0.0.1:0'];
  const program = site.start(['run', ...own, ...PRIVATE, ...flags]);
  await program.ready();
  return program;
}

test('a private net of one witness has final blocks, over a kill too, and all commands say so', async () => {
  const net = await privateNet('net', ...MAKES_BLOCKS, '--p2p-endpoint', '127.0.0.1:0');
  const first = await awaitFinal(net, 2);
  const health = await fetchPage(net);
  assert.equal(numberMember(health, 'finality.voters'), 1);
  assert.ok(numberMember(health, 'confirmed_block_number') <= first + 1);
  const url = programUrl(net);
  const top = await site.run(['top', '--url', url]);
  assert.match(top.stdout, /^final +block \d+, block \d+ is confirmed$/m);
  assert.match(top.stdout, /^votes +1 of 1 voters of epoch 0 vote, 1 are needed$/m);
  const doctor = await site.run(['doctor', '--data-dir', site.path('net'), ...PRIVATE, '--url', url]);
  assert.match(doctor.stdout, /^finality +ok +block \d+ is irreversible, .*1 of 1 voters of epoch 0 vote/m);
  const status = await site.run(['witness', 'status', 'initminer', '--url', url]);
  assert.match(status.stdout, /^certificate +of block \d+, with 1 of 1 votes/m);
  assert.match(status.stdout, /^voted +in \d+ slots since the node has started, and missed 0$/m);
  net.kill();
  await net.exited;
  const again = await privateNet('net', ...MAKES_BLOCKS, '--p2p-endpoint', '127.0.0.1:0');
  await awaitFinal(again, first);
  assert.equal(await again.stop(), 0);
});

const WITNESSES = 3;

test('of three voters all are needed: while one is away nothing becomes final, and everything says since when and who', async () => {
  const chain = await witnessChain(site.path('three'), WITNESSES, 0, { finality: true, intervalSeconds: 1 });
  const ports: string[] = [];
  const startOne = async (node: number): Promise<Program> => {
    const folder = site.path(`three${node}`);
    const { name, wif: key } = chain.witnesses[node] ?? assert.fail('a witness');
    if (!existsSync(folder)) {
      cpSync(chain.dataFolder, folder, { recursive: true });
      copyJournals(chain.dataFolder, name, `${folder}.signed`);
    }
    const program = site.start([
      ...['run', '--genesis-json', chain.genesisFile, '--data-dir', folder, '--webserver-http-endpoint', '127.0.0.1:0'],
      ...['--p2p-endpoint', `127.0.0.1:${ports[node] ?? 0}`, '--witness', name, '--private-key', key],
      ...['--enable-stale-production', '--required-participation', '33', '--accept-low-participation'],
      ...ports.filter((_, other) => other !== node).flatMap((port) => ['--p2p-seed-node', `127.0.0.1:${port}`]),
    ]);
    await program.ready();
    ports[node] = peerPort(program);
    return program;
  };
  const nodes: Program[] = [];
  for (let node = 0; node < WITNESSES; node++) nodes.push(await startOne(node));
  const [rpc = assert.fail('a node'), , last = assert.fail('a node')] = nodes;
  const before = await awaitFinal(rpc, 0);
  const url = programUrl(rpc);
  const load = await site.run([
    ...['load', '--url', url, '--mix', 'payments', '--rate', '5', '--duration', '4s'],
    ...['--json', site.path('load.json')],
  ]);
  assert.equal(load.code, 0, load.stderr + load.stdout);
  assert.match(load.stdout, /^until final +/m);
  const report: Json = JSON.parse(readFileSync(site.path('load.json'), 'utf8'));
  assert.ok(numberMember(report, 'latencies.untilFinal.count') > 0);
  last.kill();
  await last.exited;
  const stalled = await waitUntil('health to name the voter that is away', async () => {
    const health = await fetchPage(rpc);
    return at(health, 'finality.stalled_since') === null ? undefined : health;
  });
  assert.deepEqual(at(stalled, 'finality.missing_names'), ['witness2']);
  assert.match(JSON.stringify(at(stalled, 'problems')), /finality stands still.*missing are witness2/);
  assert.ok(numberMember(stalled, 'irreversible_block_number') >= before);
  const doctor = await site.run([
    ...['doctor', '--data-dir', site.path('three0'), '--genesis-json', chain.genesisFile, '--url', url],
    ...['--witness', 'initminer'],
  ]);
  assert.equal(doctor.code, 7);
  assert.match(
    doctor.stdout,
    /^finality +WRONG +.*2 of 3 voters of epoch \d+ vote, 3 are needed; no vote for ten slots from witness2; no block since/m,
  );
  const status = await site.run(['witness', 'status', 'initminer', '--url', url]);
  assert.match(status.stdout, /^no votes +witness2 \(PHR/m);
  const watched = await site.run(['witness', 'watch', 'initminer', '--url', url]);
  assert.equal(watched.code, 7);
  assert.match(watched.stdout, /^no block has become irreversible since /m);
  nodes[2] = await startOne(2);
  for (const node of nodes) await awaitFinal(node, before + 1);
  const healed = await waitUntil('health to be well again', async () => {
    const health = await fetchPage(rpc);
    return at(health, 'finality.stalled_since') === null ? health : undefined;
  });
  assert.deepEqual(at(healed, 'finality.missing_names'), []);
});
