import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { against, row, type BenchOptions, type Row } from '../bench.ts';
import type { PoolFigures } from '../verifier_pool.ts';

const POOL = fileURLToPath(new URL('../verifier_pool.js', import.meta.url));
const ROUNDS = 3;
/** Of what the first core does, by the next one: the thread that hands out and takes back needs its share. */
const LEAST_SHARE = 0.85;

/**
 * Verifiers on one core and on more, bound to them: how much each core adds. Wall time on cores of their own, so it
 * wants a quiet machine.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const best = new Map<number, PoolFigures>();
  for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
    for (let cores = 1; cores <= (quick ? 1 : availableParallelism()); cores *= 2) {
      const figures = await measurePool(cores, quick ? 100 : 4000);
      const before = best.get(cores);
      if (before === undefined || perSecond(figures) > perSecond(before)) best.set(cores, figures);
    }
  }
  const rows = [...best].map(([cores, figures]) => makeRow(cores, figures));
  const [first] = rows;
  return rows.map((line, index) => (index === 0 || first === undefined ? line : against(line, first)));
}

/** One verifier a core. */
async function measurePool(cores: number, durationMs: number): Promise<PoolFigures> {
  const child = spawn('taskset', ['-c', `0-${cores - 1}`, process.execPath, POOL, `${cores}`, `${durationMs}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const figures: unknown = JSON.parse(await text(child.stdout));
  assert(areFigures(figures), 'the pool says what it did');
  return figures;
}

const perSecond = ({ verified, elapsedMs }: PoolFigures): number => (verified * 1000) / elapsedMs;

/** Counted by the time of one core, so that the ratio to the first line is what all cores do together. */
function makeRow(cores: number, figures: PoolFigures): Row {
  const { verified, elapsedMs, cpuMicros } = figures;
  const used = cpuMicros / 1000 / elapsedMs;
  const note = `bound to ${cores} of ${availableParallelism()}, of which it got ${used.toFixed(2)}`;
  const measured = { work: verified, cpuMicros: elapsedMs * 1000 };
  const budget = cores === 1 ? {} : { budget: { ratio: 1 + (cores - 1) * LEAST_SHARE } };
  return row(
    `verifiers on ${cores} ${cores === 1 ? 'core' : 'cores'}`,
    'signed transfer a second of wall time',
    measured,
    {
      note,
      ...budget,
    },
  );
}

function areFigures(value: unknown): value is PoolFigures {
  return (
    typeof value === 'object' && value !== null && 'verified' in value && 'elapsedMs' in value && 'cpuMicros' in value
  );
}
