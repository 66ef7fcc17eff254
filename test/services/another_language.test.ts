import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { pastChain } from '../builders/past_chain.ts';
import { textAt } from '../outside/json.ts';
import { inStep, nodeIdOf, peerPortOf, producing, run as runNode } from '../outside/network_nodes.ts';
import { balanceOf, secretOf, signed, transactionOf, transfer, unsignedBytes } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { project, succeed, temporaryFolder } from './commands.ts';

// The wire as its page describes it, spoken by a program that has nothing of ours: the Debian package python3.

const site = new Site();
const PAST_BLOCKS = 130;

/** What test/services/stranger.py prints. */
interface Seen {
  readonly peer: string;
  readonly followed: number;
  readonly block: number;
  readonly id: string;
  readonly mistakes: Readonly<Record<string, readonly [reason: number | null, isDropped: boolean]>>;
  readonly banned: readonly string[];
}

after(() => site.clear());

test('a program in Python follows a chain by ranges, gives a transaction that gets into a block, and is refused for each mistake as the page says', async () => {
  const past = await pastChain(site.path('past'), PAST_BLOCKS);
  const maker = await runNode(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
  const honest = await runNode(site, past, 'honest', '--p2p-seed-node', `127.0.0.1:${peerPortOf(maker)}`);
  await inStep(honest, 1);
  const before = await balanceOf(maker, 'bob');
  const trx = await signed(maker, await transactionOf(maker, [transfer('alice', 'bob', '1.000000')]), 'alice');
  const packed = textAt(await maker.result('database_api.get_transaction_hex', { trx }), 'hex');
  const unsigned = (await unsignedBytes(maker, trx)).length;
  const key = Buffer.from(secp256k1.getPublicKey(secretOf('alice'))).toString('hex');

  const script = join(project, 'test', 'services', 'stranger.py');
  const args = [script, peerPortOf(maker), temporaryFolder(), packed, String(unsigned), key];
  const seen: Seen = JSON.parse(await succeed('python3', args, { folder: site.folder }));

  assert.equal(seen.peer, nodeIdOf(maker));
  assert.ok(seen.followed > PAST_BLOCKS && seen.block > PAST_BLOCKS);
  const block = await maker.result('block_api.get_block', { block_num: seen.block });
  assert.equal(textAt(block, 'block_id'), seen.id);
  assert.equal(await balanceOf(maker, 'bob'), before + 1_000_000n);
  assert.ok(Object.keys(seen.mistakes).length >= 20 && seen.banned.length >= 10);
  const { stdout: bans } = await site.run(['peers', 'bans', '--url', `http://127.0.0.1:${maker.port}`]);
  const banned = [...bans.matchAll(/^[0-9a-f]{64}/gm)].map(([id]) => id);
  assert.deepEqual(banned.toSorted(), seen.banned.toSorted());
  await inStep(honest, 1);
});
