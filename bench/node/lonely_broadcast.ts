import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../src/base/assert.ts';
import { devAccounts, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { fetchFacts } from '../../src/load_test/chain_facts.ts';
import { percentile } from '../../src/load_test/run_load.ts';
import { signTransfers } from '../../src/load_test/sign_transfers.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';

const BLOCK_MS = 300;
const ACCEPTED = 'network_broadcast_api.broadcast_transaction';
const IN_BLOCK = 'network_broadcast_api.broadcast_transaction_synchronous';

/**
 * One transaction at a time on an idle node: how long until it is accepted, and how long from the commit of its block
 * until its sender knows. Wall time, shown as a note: what counts is the CPU time, and that nothing waits for company.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const count = quick ? 3 : 60;
  const node = await DevNode.start({ blockIntervalMs: BLOCK_MS });
  try {
    const bodies = await signed(node, count * 2);
    const accepted = await timed(node, bodies.slice(0, count));
    const before = node.cpuMicros();
    const inBlock = await timed(
      node,
      bodies.slice(count).map((body) => body.replace(ACCEPTED, IN_BLOCK)),
    );
    const measured = { work: count, cpuMicros: node.cpuMicros() - before };
    const note = `half are accepted in ${percentile(accepted, 0.5).toFixed(1)} ms, 90 % in ${percentile(accepted, 0.9).toFixed(1)} ms; with their blocks, one every ${BLOCK_MS} ms, ${percentile(inBlock, 0.5).toFixed(0)} ms`;
    return [row('lonely synchronous broadcast', 'transfer, its share of empty blocks included', measured, { note })];
  } finally {
    await node.stop();
  }
}

async function signed(node: DevNode, count: number): Promise<string[]> {
  const facts = await fetchFacts(node.client, profileNamed('default'));
  const senders = devAccounts.map((name) => ({ name, secret: devSecret(name) }));
  const request = {
    profileName: 'default',
    chainId: facts.chainId,
    referenceBlockId: facts.head.id,
    expiration: facts.head.time + 3000,
    fee: facts.fee,
    senders,
    firstAmount: 1n,
    first: 0,
    count,
    batch: 1,
  };
  return Array.from(signTransfers(request), ({ body }) => Buffer.from(body).toString());
}

/** Milliseconds that each took, ascending. */
async function timed(node: DevNode, bodies: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const body of bodies) {
    await sleep(5);
    const startedMs = performance.now();
    const [answer] = await node.client.post(body, 1);
    times.push(performance.now() - startedMs);
    assert(answer !== undefined && 'result' in answer, `the node takes it: ${JSON.stringify(answer)}`);
  }
  return times.sort((a, b) => a - b);
}
