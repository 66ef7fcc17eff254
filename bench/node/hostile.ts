import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { percentile } from '../../src/load_test/run_load.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { signedBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { paced } from '../paced.ts';
import { quantileMs, scrape } from '../../src/load_test/scrape.ts';

/** The attacks of ../attacker.ts. */
const ATTACKS: readonly string[] = [
  'empty frames',
  'frames that are no JSON',
  'frames with another read each',
  'rpc.discover in batches of 40',
  'get_key_references, one key 1000 times',
  'get_accounts, one name 1000 times, in batches',
  'get_accounts, 1000 unknown seeds',
  'find_accounts, pending',
  'verify_authority with 100 signatures',
  'bodies that are no JSON',
  'connections that ask for nothing',
  'readers that take nothing',
];
/** Of a read, and of a block's lateness. */
const BUDGET = { budget: { atMost: 50 } };
const READ_EVERY_MS = 5;
const SEND_EVERY_MS = 50;
const READ = { account_name: 'alice' };
const MEBIBYTE = 1024 * 1024;

/** Measures the wait of honest clients during each attack from another address. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const node = await DevNode.start({ blockIntervalMs: quick ? 200 : 1000 });
  try {
    const durationMs = quick ? 300 : 5000;
    const rows = await watch(node, 'nobody', durationMs);
    for (const attack of quick ? ATTACKS.slice(0, 3) : ATTACKS)
      rows.push(...(await underAttack(node, attack, durationMs)));
    return rows;
  } finally {
    await node.stop();
  }
}

async function underAttack(node: DevNode, attack: string, durationMs: number): Promise<Row[]> {
  const attacker = fork(fileURLToPath(new URL('../attacker.js', import.meta.url)), [node.url, attack]);
  try {
    assert((await nextEvent(attacker, 'message')) === 'ready', 'the attacker is ready');
    return await watch(node, attack, durationMs);
  } finally {
    attacker.kill('SIGKILL');
    // Let the node recover before the next attack.
    await sleep(500);
  }
}

async function watch(node: DevNode, attack: string, durationMs: number): Promise<Row[]> {
  const bodies = await signedBodies(node, Math.ceil(durationMs / SEND_EVERY_MS) * 100);
  const before = await scrape(node.metricsUrl);
  const endMs = performance.now() + durationMs;
  const [reads, sends] = await Promise.all([
    paced(endMs, READ_EVERY_MS, () => node.client.call('alexandria_api.get_account', READ)),
    paced(endMs, SEND_EVERY_MS, (k) => node.client.post(bodies[k]?.body ?? Buffer.alloc(0), 100)),
  ]);
  const lateMs = quantileMs(before, await scrape(node.metricsUrl), 'pharos_block_lateness_seconds', 1);
  const worst = (times: readonly number[]): number => times.at(-1) ?? 0;
  const shown = `99 % within ${percentile(reads, 0.99).toFixed(0)} ms of ${reads.length}; worst broadcast ${worst(sends).toFixed(0)} ms of ${sends.length} posts of 100`;
  const peak = `${Math.round(node.memory().now / MEBIBYTE)} MiB`;
  return [
    amountRow(
      `worst read beside: ${attack}`,
      'read, every 5 ms',
      { value: worst(reads), unit: 'ms' },
      { ...BUDGET, note: shown },
    ),
    amountRow(
      `latest block beside: ${attack}`,
      'block',
      { value: lateMs, unit: 'ms' },
      { ...BUDGET, note: `at most; the node holds ${peak}` },
    ),
  ];
}
