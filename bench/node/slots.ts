import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { amountRow, row, type BenchOptions, type Row } from '../bench.ts';
import { LARGEST_BLOCK_BYTES } from '../dev_chain.ts';
import { DevNode, TEMPLATE_BLOCK_BYTES } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { growth, quantileMs, scrape, type Figures } from '../../src/load_test/scrape.ts';
import { Stalls } from '../stalls.ts';
import { grouped } from '../table.ts';

const BLOCK_MS = 1000;
/** The load of a second: together with its clients, which have a lower priority, it fills two cores. */
const OFFERED = { transfers: 6000, reads: 20_000 };
const OFFERED_QUICK = { transfers: 500, reads: 1000 };
const READERS = 16;
/**
 * Until everything is compiled that ever will be, and as many transactions wait as may: blocks of it count for nothing.
 */
const WARM_UP_MS = 20_000;
const BUDGET_MS = 50;

/** The largest size of blocks, and its name in the table. */
interface Blocks {
  readonly large: boolean;
  readonly said: string;
}

const LARGE: Blocks = { large: true, said: 'all fits into blocks' };
const TEMPLATE: Blocks = { large: false, said: 'more than fits into blocks' };

/**
 * Measures whether blocks come on their slots while reads and broadcasts keep the node busy, and the longest delay of
 * each thread. It takes PHAROS_BENCH_MINUTES, one by default. The node itself says when a slot began and when its block
 * was on the disk. Wall time, so on a busy machine it also shows how busy that is.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const rows = [];
  for (const blocks of [LARGE, TEMPLATE]) rows.push(...(await underLoad(blocks, quick)));
  return rows;
}

async function underLoad({ large, said }: Blocks, quick: boolean): Promise<Row[]> {
  const minutes = quick ? 0.02 : Number(process.env['PHAROS_BENCH_MINUTES'] ?? 1);
  const [blockMs, warmUpMs] = quick ? [200, 500] : [BLOCK_MS, WARM_UP_MS];
  const stalls = new Stalls();
  const { flags, environment } = stalls;
  const node = await DevNode.start({ blockIntervalMs: blockMs, largeBlocks: large, flags, environment });
  if (!large) await node.passFirstRound();
  const offered = quick ? OFFERED_QUICK : OFFERED;
  const clients = [startTransfers(node, offered.transfers), startReads(node, offered.reads)];
  try {
    await sleep(warmUpMs);
    const warmMs = Date.now();
    const [before, cpuBefore] = [await scrape(node.metricsUrl), node.cpuMicros()];
    await sleep(minutes * 60_000);
    const [after, cpuAfter] = [await scrape(node.metricsUrl), node.cpuMicros()];
    const endMs = Date.now();
    assert(
      clients.every(({ exitCode }) => exitCode === null),
      'the clients get all their answers',
    );
    const seconds = (endMs - warmMs) / 1000;
    const accepted = growth(before, after, 'pharos_broadcasts_total{outcome="accepted"}');
    const rate = (count: number): string => grouped(count / seconds);
    const load = `blocks of ${grouped(large ? LARGEST_BLOCK_BYTES : TEMPLATE_BLOCK_BYTES)} bytes; ${minutes} min; ${grouped(offered.transfers)} transfers and ${grouped(offered.reads)} reads a second offered, ${rate(accepted)} and ${rate(countReads(before, after))} taken, the first ${warmUpMs / 1000} s not counted`;
    const held = `longest stalls ${stalls.text('front', warmMs, endMs)}, ${stalls.text('writer', warmMs, endMs)}; in the first ${warmUpMs / 1000} s ${stalls.text('writer', 0, warmMs)}`;
    return [
      latenessRow(before, after, said, blockMs),
      row(
        `full load, ${said}`,
        'transfer accepted, reads not counted',
        { work: accepted, cpuMicros: cpuAfter - cpuBefore },
        { note: `${load}; ${held}` },
      ),
    ];
  } finally {
    await Promise.all(clients.map(ended));
    await node.stop();
    stalls.forget();
  }
}

function latenessRow(before: Figures, after: Figures, said: string, blockMs: number): Row {
  const lateness = 'pharos_block_lateness_seconds';
  const within = (name: string, shares: readonly number[]): string =>
    shares.map((share) => quantileMs(before, after, name, share).toFixed(0)).join(', ');
  const starts = within('pharos_block_start_lateness_seconds', [0.5, 0.99, 0.999]);
  const batches = within('pharos_verifier_batch_seconds', [0.5, 0.99, 1]);
  const blocks = growth(before, after, `${lateness}_count`);
  const note = `${blocks} blocks, one every ${blockMs} ms, on the disk ${within(lateness, [0.5, 0.99, 0.999])} ms behind their slots at most (half, 99 %, 99.9 %), begun within ${starts} ms; verifiers held up for ${batches} ms by a batch (half, 99 %, all): edges of the node’s own classes`;
  const amount = { value: quantileMs(before, after, lateness, 0.999), unit: 'ms' };
  return amountRow(`slot to disk, 99.9 %, ${said}`, 'block under full load', amount, {
    budget: { atMost: BUDGET_MS },
    note,
  });
}

function startTransfers(node: DevNode, rate: number): ChildProcess {
  return fork(fileURLToPath(new URL('../paced_transfers.js', import.meta.url)), [node.url, String(rate)]);
}

/** The calls of a wallet, in turns. */
function startReads(node: DevNode, rate: number): ChildProcess {
  const bodies = [
    ['alexandria_api.get_account', { account_name: 'alice' }],
    ['alexandria_api.get_account', { account_name: 'bob' }],
    ['alexandria_api.get_dynamic_global_properties', {}],
    ['alexandria_api.get_account_history', { account: 'carol', start: -1, limit: 10 }],
  ].map(([method, params]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const file = join(folder, 'bodies');
  writeFileSync(file, bodies.join('\n'));
  const client = fork(
    fileURLToPath(new URL('../http_load.js', import.meta.url)),
    [node.port, READERS, 1, Number.MAX_SAFE_INTEGER, `@${file}`, rate].map(String),
  );
  client.once('exit', () => rmSync(folder, { recursive: true }));
  return client;
}

function countReads(before: Figures, after: Figures): number {
  const counts = ['pharos_rpc_repeated_total', 'pharos_rpc_answer_seconds_count'];
  return counts.reduce((sum, name) => sum + growth(before, after, `${name}{method="alexandria_api.`), 0);
}

async function ended(client: ChildProcess): Promise<void> {
  if (client.exitCode !== null) return;
  const exit = nextEvent(client, 'exit');
  client.kill();
  await exit;
}
