import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { guideNamed } from '../pages/guides/guide.ts';
import { copyJournals } from '../builders/stopped_chain.ts';
import { testWif, witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { at, numberMember, textMember, type Json } from './json.ts';
import { nodeId, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';

// A witness that comes into a young round: with a node that has just started, and with one that starts too late.

const site = new Site();
const [FIRST, NEW, LATE] = ['initminer', 'alice', 'bob'];
/** Free places: a witness has one without votes. */
const PLACES = 4;
let chain: WitnessChain;
let first: Program;

before(async () => {
  chain = await witnessChain(site.path('origin'), 1, 0, { places: PLACES, intervalSeconds: 1, finality: true });
  cpSync(chain.dataFolder, site.path('first'), { recursive: true });
  copyJournals(chain.dataFolder, FIRST, site.path('first.signed'));
  first = await start('first', ['--witness', FIRST, '--private-key', testWif(FIRST)]);
  for (const name of [NEW, LATE]) {
    writeFileSync(site.path(`${name}.wif`), testWif(name), { mode: 0o600 });
    assert.equal((await site.run(['keys', '--key-file', site.path(`${name}.key`)])).code, 0);
  }
});

after(() => site.clear());

async function start(folder: string, flags: readonly string[]): Promise<Program> {
  const program = site.start([
    ...['run', '--genesis-json', chain.genesisFile, '--data-dir', site.path(folder), '--p2p-endpoint', '127.0.0.1:0'],
    ...['--webserver-http-endpoint', '127.0.0.1:0', '--enable-stale-production', ...flags],
  ]);
  await program.ready();
  return program;
}

/** A node of a new witness, which follows the first one. */
async function startWitness(name: string): Promise<Program> {
  const seed = `${nodeId(first)}@127.0.0.1:${peerPort(first)}`;
  return await start(name, [
    '--witness',
    name,
    '--private-key-file',
    site.path(`${name}.key`),
    '--p2p-seed-node',
    seed,
  ]);
}

function nodeAddress({ port }: Program): string {
  return `http://127.0.0.1:${port}`;
}

async function create(name: string, asked: Program): Promise<Finished> {
  const keys = ['--key-file', site.path(`${name}.key`), '--wallet-file', site.path(`${name}.wif`)];
  return await site.run(['witness', 'create', name, ...keys, '--url', nodeAddress(asked), '--yes']);
}

async function roundMembers(count: number): Promise<void> {
  await waitUntil(`a round of ${count}`, async () => {
    const schedule = at(await first.result('alexandria_api.get_witness_schedule_object'), 'schedule_obj');
    return numberMember(schedule, 'num_scheduled_witnesses') === count || undefined;
  });
}

/** Waits for a final block above that number, close to the head. */
async function laterFinal(number: number): Promise<number> {
  return await waitUntil(`a final block above ${number}`, async () => {
    const health: Json = JSON.parse((await first.http('GET', '/health', {})).body);
    const [head, final] = [
      numberMember(health, 'head_block_number'),
      numberMember(health, 'irreversible_block_number'),
    ];
    return final > number && head - final <= 2 ? final : undefined;
  });
}

test('a witness whose node has just started is created when its key can vote, and finality never stands', async () => {
  await laterFinal(0);
  const node = await startWitness(NEW);
  await waitUntil('a journal of votes', async () => {
    const said: Json = await node.result('witness_node_api.get_voting');
    return JSON.stringify(at(said, 'voting.0.journals')).includes('whole_from') || undefined;
  });
  const { code, stdout, stderr } = await create(NEW, node);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /waiting until 20\S+ UTC, so that its votes count from its first round on/);
  await roundMembers(2);
  const final = await laterFinal(0);
  await laterFinal(final + 2 * PLACES);
  const status = await site.run(['witness', 'status', NEW, '--url', nodeAddress(node)]);
  assert.match(status.stdout, /^vote +votes, locked on block \d+$/m);
  const again = await create(NEW, node);
  assert.match(again.stdout, /is a witness and signs with it already/);
});

/** The last resort of the guide, as words behind `pharos`. */
const resetWords = (guideNamed('finality').commands[0] ?? '').split(' ').slice(1);

test('one whose node is not there is warned about, finality stands when it comes late, and finality-reset ends that', async () => {
  const rotated = await site.run([
    ...['witness', 'rotate-key', NEW, '--key-file', site.path('other.key'), '--url', nodeAddress(first)],
    ...['--wallet-file', site.path(`${NEW}.wif`)],
  ]);
  assert.equal(rotated.code, 2, 'nobody agrees');
  assert.match(rotated.stderr, /the round has 2 witnesses, so every vote is needed\. .*does not vote with the key/);
  const { code, stderr } = await create(LATE, first);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /free places, so bob is in it at once\. .* start the node of bob with private-key-file = /);
  await roundMembers(3);
  const node = await startWitness(LATE);
  const status = await waitUntil('the new key to be one that waits', async () => {
    const { stdout } = await site.run(['witness', 'status', LATE, '--url', nodeAddress(node)]);
    return /^vote +waits: .*see pharos witness finality-reset$/m.test(stdout) ? stdout : undefined;
  });
  assert.match(status, /3 are needed$/m);
  const stands = numberMember(JSON.parse((await first.http('GET', '/health', {})).body), 'irreversible_block_number');
  const reset = await site.run([...resetWords, '--yes', '--url', nodeAddress(node)]);
  assert.equal(reset.code, 0, reset.stderr);
  assert.match(textMember({ stdout: reset.stdout }, 'stdout'), /MAY LACK VOTES[^]*votes again with PHR/);
  await laterFinal(stands + 1);
});
