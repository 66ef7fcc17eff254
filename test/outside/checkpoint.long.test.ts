import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { pastChain } from '../builders/past_chain.ts';
import { addUnsignedTransfer } from '../builders/unsigned_transfer.ts';
import { agree, nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

const [BLOCKS, UNSIGNED_AT, CHECKPOINT_AT] = [400, 150, 300];

const ids = new Map<number, string>();
const past = await pastChain(site.path('past'), BLOCKS, (chain, parameters) => {
  const { number, id } = chain.head;
  ids.set(number, id);
  if (number === UNSIGNED_AT - 1) addUnsignedTransfer(chain, parameters);
});
const right = ids.get(CHECKPOINT_AT) ?? assert.fail();
const wrong = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
const seed = `127.0.0.1:${peerPort(maker)}`;
const checkpoint = (id: string): string[] => ['--checkpoint', `[${CHECKPOINT_AT}, "${id}"]`];
const marker = (folder: string): boolean => existsSync(join(site.path(folder), 'unverified_blocks'));

async function inStep(program: Program): Promise<void> {
  await agree([maker, program], BLOCKS);
  assert.equal(await program.stop(), 0);
}

test('up to a checkpoint nobody looks who signed transactions, and behind it and without one it is looked at', async () => {
  await inStep(await run(site, past, 'believing', '--p2p-seed-node', seed, ...checkpoint(right)));
  assert.equal(marker('believing'), false);
  const doubting = await run(site, past, 'doubting', '--p2p-seed-node', seed);
  const early = await run(site, past, 'early', '--p2p-seed-node', seed, '--checkpoint', `[100, "${ids.get(100)}"]`);
  for (const program of [doubting, early]) {
    await waitUntil('the block before', async () =>
      (await program.health()).number === UNSIGNED_AT - 1 ? true : undefined,
    );
    assert.equal(await program.stop(), 0);
  }
});

test('a chain that does not lead to the checkpoint is refused there, and nothing of it is kept', async () => {
  const deceived = site.start([
    ...[
      'run',
      '--genesis-json',
      past.genesisFile,
      '--data-dir',
      site.path('deceived'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ],
    ...['--p2p-seed-node', seed, ...checkpoint(wrong)],
  ]);
  assert.equal(await deceived.exited, 3, deceived.stderr);
  assert.match(
    deceived.stderr,
    /do not lead to the checkpoint, block 300, and their signatures were not verified: they are removed/,
  );
  const again = await run(site, past, 'deceived', '--p2p-seed-node', seed, ...checkpoint(right));
  assert.match(again.stderr, /head block 0\b/);
  await inStep(again);
  assert.equal(marker('deceived'), false);
});

test('a trusted node is believed who signed, with every other check', async () => {
  await inStep(await run(site, past, 'trusting', '--p2p-trusted-node', `${nodeId(maker)}@${seed}`));
  const other = await run(
    site,
    past,
    'trusting another',
    '--p2p-seed-node',
    seed,
    '--p2p-trusted-node',
    `${'ab'.repeat(32)}@127.0.0.1:1`,
  );
  await waitUntil('the block before', async () =>
    (await other.health()).number === UNSIGNED_AT - 1 ? true : undefined,
  );
  assert.equal(await other.stop(), 0);
});
