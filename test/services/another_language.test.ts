import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { pastChain } from '../builders/past_chain.ts';
import { publicKey } from '../interface/keys.ts';
import { textMember } from '../outside/json.ts';
import { inStep, nodeId, peerPort, producing, run as runNode } from '../outside/network_nodes.ts';
import { fetchBalance, testSecret, signed, makeTransaction, transfer, unsignedBytes } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { project, succeed, temporaryFolder } from './commands.ts';

// The wire as its page describes it, spoken by a program that has nothing of ours: the Debian package python3.

const site = new Site();
const PAST_BLOCKS = 130;

/** The output of test/services/stranger.py. */
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
  const honest = await runNode(site, past, 'honest', '--p2p-seed-node', `127.0.0.1:${peerPort(maker)}`);
  await inStep(honest, 1);
  const before = await fetchBalance(maker, 'bob');
  const trx = await signed(maker, await makeTransaction(maker, [transfer('alice', 'bob', '1.000000')]), 'alice');
  const packed = textMember(await maker.result('database_api.get_transaction_hex', { trx }), 'hex');
  const unsigned = (await unsignedBytes(maker, trx)).length;
  const key = Buffer.from(secp256k1.getPublicKey(testSecret('alice'))).toString('hex');

  const script = join(project, 'test', 'services', 'stranger.py');
  const args = [script, peerPort(maker), temporaryFolder(), packed, String(unsigned), key];
  const seen: Seen = JSON.parse(await succeed('python3', args, { folder: site.folder }));

  assert.equal(seen.peer, nodeId(maker));
  assert.ok(seen.followed > PAST_BLOCKS && seen.block > PAST_BLOCKS);
  const block = await maker.result('block_api.get_block', { block_num: seen.block });
  assert.equal(textMember(block, 'block_id'), seen.id);
  assert.equal(await fetchBalance(maker, 'bob'), before + 1_000_000n);
  assert.ok(Object.keys(seen.mistakes).length >= 20 && seen.banned.length >= 10);
  const { stdout: bans } = await site.run(['peers', 'bans', '--url', `http://127.0.0.1:${maker.port}`]);
  const banned = [...bans.matchAll(/^[0-9a-f]{64}/gm)].map(([id]) => id);
  assert.deepEqual(banned.toSorted(), seen.banned.toSorted());
  await inStep(honest, 1);
});

/** The output of test/services/named_endpoints.py. */
interface Looked {
  readonly honest: string;
  readonly liar: string;
  readonly own: readonly [endpoint: string, visits: number, closed: number];
  readonly foreign: readonly [endpoint: string, visits: number];
  readonly borrowed: readonly [endpoint: string, visits: number];
  /** The ids that the node names, by their endpoints. */
  readonly named: Readonly<Record<string, string>>;
}

test('a program in Python that says where it listens is looked at there and named to others; another address is not looked at, and the place of somebody else is not named', async () => {
  // A private net: nodes of public chains read public addresses alone.
  const place = ['--data-dir', site.path('named'), '--webserver-http-endpoint', '127.0.0.1:0'];
  const net = ['--initminer-mining-pubkey', publicKey('initminer'), '--p2p-endpoint', '127.0.0.1:0'];
  const node = site.start(['run', ...place, ...net]);
  await node.ready();
  const script = join(project, 'test', 'services', 'named_endpoints.py');
  const args = [script, peerPort(node), temporaryFolder()];
  const seen: Looked = JSON.parse(await succeed('python3', args, { folder: site.folder }));

  assert.ok(seen.own[1] >= 1 && seen.own[2] >= 1, 'the node has looked, and has closed the link');
  assert.equal(seen.named[seen.own[0]], seen.honest);
  assert.equal(seen.foreign[1], 0, 'nobody is sent to an address that is not the link’s own');
  assert.ok(seen.borrowed[1] >= 1, 'the address is the link’s own, so it is looked at');
  assert.ok(!Object.values(seen.named).includes(seen.liar), 'an id that was not proven is named to nobody');
  assert.equal(seen.named[seen.foreign[0]], undefined);
  assert.equal(seen.named[seen.borrowed[0]], undefined);
});
