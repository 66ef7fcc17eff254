import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../src/base/assert.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { measured } from '../posts.ts';
import { deriveAddress, signedTransfer } from './ethereum_transfer.ts';
import { ganacheProgram, GanacheNode } from './ganache_node.ts';

const SENDERS = 10;
const BATCH = 100;
/** Longer than it takes ganache for what is asked of it here, on a busy machine too. */
const LONGEST_WAIT_MS = 300_000;

/**
 * Measures another development node on the same web server at the same work: signed transfers in posts of 100 until
 * they are in blocks, and the number of the head block, asked one by one. No line where its package can't be had.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const program = await ganacheProgram();
  if (program === undefined) return [];
  const secrets = Array.from({ length: SENDERS }, () => randomBytes(32));
  const node = await GanacheNode.start(program, secrets);
  try {
    const transfers = await transfersRow(node, secrets, quick ? 20 : 200);
    return [transfers, await readsRow(node, quick ? 200 : 20_000)];
  } finally {
    await node.stop();
  }
}

async function transfersRow(node: GanacheNode, secrets: readonly Uint8Array[], each: number): Promise<Row> {
  const bodies = await signedPosts(node, secrets, each);
  const [warmUp = '', ...counted] = bodies;
  await node.post(warmUp);
  const before = node.cpuMicros();
  for (const body of counted) await node.post(body);
  const total = secrets.length * each;
  await untilInBlocks(node, secrets, total);
  const measure = { work: total - BATCH, cpuMicros: node.cpuMicros() - before };
  const note = `ganache 7.9.2; posts of ${BATCH}, one after the other; a block a second; nothing on a disk`;
  return row('ganache: signed transfers', 'signed transfer, HTTP in to block', measure, { note, peerOf: 'end to end' });
}

/** The transfers of all senders in turns, so that none waits for a nonce. */
async function signedPosts(node: GanacheNode, secrets: readonly Uint8Array[], each: number): Promise<string[]> {
  const chainId = BigInt(await node.call('eth_chainId', []));
  const gasPrice = BigInt(await node.call('eth_gasPrice', [])) * 2n;
  const calls = Array.from({ length: each * secrets.length }, (_, id) => {
    const secret = secrets[id % secrets.length] ?? new Uint8Array();
    const to = deriveAddress(secrets[(id + 1) % secrets.length] ?? secret);
    const signed = signedTransfer({ secret, chainId, nonce: BigInt(Math.trunc(id / secrets.length)), gasPrice, to });
    return { jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [signed] };
  });
  return Array.from({ length: Math.ceil(calls.length / BATCH) }, (_, post) =>
    JSON.stringify(calls.slice(post * BATCH, (post + 1) * BATCH)),
  );
}

async function untilInBlocks(node: GanacheNode, secrets: readonly Uint8Array[], total: number): Promise<void> {
  for (const endMs = performance.now() + LONGEST_WAIT_MS; performance.now() < endMs; await sleep(100)) {
    let found = 0;
    for (const secret of secrets) {
      const address = `0x${Buffer.from(deriveAddress(secret)).toString('hex')}`;
      found += Number(await node.call('eth_getTransactionCount', [address, 'latest']));
    }
    if (found === total) return;
  }
  assert(false, 'ganache takes every transfer');
}

async function readsRow(node: GanacheNode, posts: number): Promise<Row> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const client = { connections: 64, atOnce: 1 };
  const note = `ganache 7.9.2; ${client.connections} connections, ${client.atOnce} at once on each`;
  return row('ganache: hot read, one by one', 'eth_blockNumber', await measured(node, client, posts, body), {
    note,
    peerOf: 'hot read, one by one',
  });
}
