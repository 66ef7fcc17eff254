import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectOverHttp } from '../../src/client/connect.ts';
import { growth, quantileMs, scrape, type Figures } from '../../src/load_test/scrape.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { buildLargeChain, builtSizes } from '../rpc/large_chain_build.ts';
import { grouped } from '../table.ts';

const BLOCK_MS = 500;
const TRANSFERS = 500;
const BUDGET_MS = 20;
const WARM_UP_MS = 15_000;
/** In turns, so that both see the same machine. */
const TURNS = 6;
const LONGEST_MS = 3_600_000;
const LATENESS = 'pharos_block_lateness_seconds';

/** The delays of the blocks of some turns. */
class Turns {
  readonly #spans: (readonly [Figures, Figures])[] = [];

  add(before: Figures, after: Figures): void {
    this.#spans.push([before, after]);
  }

  get blocks(): number {
    return this.#sum(`${LATENESS}_count`);
  }

  get meanMs(): number {
    return (this.#sum(`${LATENESS}_sum`) * 1000) / Math.max(1, this.blocks);
  }

  /** The upper edge of the class, the worst of all turns. */
  get worstMs(): number {
    return Math.max(...this.#spans.map(([before, after]) => quantileMs(before, after, LATENESS, 1)));
  }

  #sum(name: string): number {
    return this.#spans.reduce((sum, [before, after]) => sum + growth(before, after, name), 0);
  }
}

/**
 * Measures the delay of blocks while snapshots are written one after another, in turns with none, with transfers under
 * way. Wall time: on a busy machine both are late. PHAROS_BENCH_ACCOUNTS is the number of accounts, and with
 * PHAROS_BENCH_CHAIN the chain stays in that folder.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const accounts = quick ? 200 : Number(process.env['PHAROS_BENCH_ACCOUNTS'] ?? 20_000);
  const kept = process.env['PHAROS_BENCH_CHAIN'];
  const dataFolder = kept ?? mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const turnMs = quick ? 1000 : 15_000;
  try {
    if (builtSizes(dataFolder) === undefined) await buildLargeChain(dataFolder, { accounts, entries: 0, documents: 0 });
    return await measured(dataFolder, accounts, quick ? 2 : TURNS, turnMs);
  } finally {
    if (kept === undefined) rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function measured(dataFolder: string, accounts: number, turns: number, turnMs: number): Promise<Row[]> {
  const node = await DevNode.start({ dataFolder, blockIntervalMs: BLOCK_MS });
  const transfers = fork(fileURLToPath(new URL('../paced_transfers.js', import.meta.url)), [
    node.url,
    String(TRANSFERS),
  ]);
  const [without, during] = [new Turns(), new Turns()];
  let written = 0;
  try {
    await sleep(Math.min(WARM_UP_MS, turnMs));
    for (let turn = 0; turn < turns; turn++) {
      const before = await scrape(node.metricsUrl);
      if (turn % 2 === 0) await sleep(turnMs);
      else written += await countSnapshots(node, turnMs);
      (turn % 2 === 0 ? without : during).add(before, await scrape(node.metricsUrl));
    }
  } finally {
    const exit = nextEvent(transfers, 'exit');
    if (transfers.exitCode === null) {
      transfers.kill();
      await exit;
    }
    await node.stop();
    rmSync(join(dataFolder, 'snapshots'), { recursive: true, force: true });
  }
  const said = (each: Turns): string =>
    `${grouped(each.blocks)} blocks ${each.meanMs.toFixed(1)} ms late on average, none by more than ${each.worstMs.toFixed(0)} ms`;
  const note = `${grouped(accounts)} accounts, a block every ${BLOCK_MS} ms, ${grouped(TRANSFERS)} transfers a second offered; without ${said(without)}; while ${written} snapshots were written ${said(during)}: edges of the node’s own classes`;
  const amount = { value: Math.max(0, during.meanMs - without.meanMs), unit: 'ms' };
  return [amountRow('snapshot of a running node: delay', 'block', amount, { budget: { atMost: BUDGET_MS }, note })];
}

/** One after another, at least one; how many there were. */
async function countSnapshots(node: DevNode, turnMs: number): Promise<number> {
  const connection = connectOverHttp(node.url);
  let count = 0;
  for (const endMs = performance.now() + turnMs; performance.now() < endMs || count === 0; count++)
    await connection.call('snapshot_api.create_snapshot', {}, { timeoutMs: LONGEST_MS, repeatable: false });
  connection.close();
  return count;
}
