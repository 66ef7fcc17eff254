import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { numberMember, textMember } from './json.ts';
import { peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
const file = site.path('state.avro');
let chain: WitnessChain;
let maker: Program;

/** A chain of three witnesses of one node that vote, and the snapshot of where it was before the node began. */
before(async () => {
  chain = await witnessChain(site.path('origin'), 3, 0, { finality: true, intervalSeconds: 1 });
  const created = await site.run(['snapshot', 'create', '--data-dir', chain.dataFolder, '--out', file]);
  assert.equal(created.code, 0, created.stderr);
  maker = site.start([
    ...['run', '--genesis-json', chain.genesisFile, '--data-dir', chain.dataFolder],
    ...['--webserver-http-endpoint', '127.0.0.1:0', '--p2p-endpoint', '127.0.0.1:0'],
    ...chain.witnesses.flatMap(({ name, wif }) => ['--witness', name, '--private-key', wif]),
    '--enable-stale-production',
  ]);
  await maker.ready();
});

after(() => site.clear());

/** The checkpoint of an epoch in which blocks are final that the snapshot does not have. */
async function newCheckpoint(): Promise<string> {
  const { head_block_number: begun }: { head_block_number: number } = JSON.parse(
    (await maker.http('GET', '/health', {})).body,
  );
  return await waitUntil('an epoch that began since', async () => {
    const state = await maker.result('block_api.get_finality');
    const [epoch, size] = [numberMember(state, 'epoch') - 1, numberMember(state, 'epoch_blocks')];
    if (epoch * size <= begun) return undefined;
    return textMember(await maker.result('block_api.get_finality', { checkpoint_epoch: epoch }), 'checkpoint');
  });
}

function flags(folder: string, ...more: readonly string[]): string[] {
  const peer = ['--p2p-seed-node', `127.0.0.1:${peerPort(maker)}`];
  const place = ['--data-dir', site.path(folder), '--webserver-http-endpoint', '127.0.0.1:0'];
  return ['run', '--snapshot', file, ...place, ...peer, ...more];
}

const sum = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');

async function becomesReady(node: Program): Promise<void> {
  await waitUntil('a node that is ready', async () =>
    (await node.http('GET', '/readyz', {})).status === 200 ? true : undefined,
  );
  assert.match(node.stderr + node.stdout, /the block of the snapshot .* is final by finality-checkpoint/);
}

test('a checkpoint that is older than somebody else’s file leads to the voters that the file names', async () => {
  const told = await site.run(['checkpoint', '--url', `http://127.0.0.1:${maker.port}`]);
  assert.equal(told.code, 0, told.stderr);
  const checkpoint = told.stdout.trimEnd();
  const inspected = await site.run(['snapshot', 'inspect', file]);
  const [, block = ''] = /block\D+(\d+)/.exec(inspected.stdout) ?? [];
  assert.ok(Number(checkpoint.split(':')[0]) < Number(block), `${checkpoint} and ${inspected.stdout}`);
  const node = site.start(flags('led', '--snapshot-sha256', sum(), '--finality-checkpoint', checkpoint));
  await node.ready();
  await becomesReady(node);
  assert.equal(await node.stop(), 0);
});

test('a node that begins with somebody else’s file is ready by a newer checkpoint, without three peers', async () => {
  const checkpoint = await newCheckpoint();
  const node = site.start(flags('proven', '--snapshot-sha256', sum(), '--finality-checkpoint', checkpoint));
  await node.ready();
  await becomesReady(node);
  // It proves what became final since.
  const [number = ''] = checkpoint.split(':');
  await waitUntil('a certificate', async () => {
    const { result }: { result?: { certificate?: string } } = Object(await node.call('block_api.get_finality'));
    return result?.certificate === undefined ? undefined : true;
  });
  const trusted_epoch = Number(number) / 3;
  await node.result('block_api.get_finality_proof', { block_num: Number(number), trusted_epoch });
  assert.equal(await node.stop(), 0);
});

test('a checkpoint vouches for no file, and one that names other voters than the chain stops the node', async () => {
  const checkpoint = await newCheckpoint();
  const unvouched = await site.run(flags('unvouched', '--finality-checkpoint', checkpoint));
  assert.equal(unvouched.code, 2, unvouched.stderr);
  assert.match(unvouched.stderr, /whose file is/);
  const [number, id, , time] = checkpoint.split(':');
  const wrong = [number, id, 'ab'.repeat(32), time].join(':');
  const node = await site.run(flags('false', '--snapshot-sha256', sum(), '--finality-checkpoint', wrong));
  assert.equal(node.code, 2, node.stderr);
  assert.match(node.stderr, /names voters with the digest .*, and the setting says abab/);
});
