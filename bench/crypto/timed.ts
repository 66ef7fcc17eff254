import Benchmark from 'benchmark';
import { against, row, type Budget, type Row } from '../bench.ts';
import { table } from '../table.ts';

/** Samples for two seconds, each long enough for the clock; the smallest form samples once. */
const FULL = { maxTime: 2 };
const QUICK = { maxTime: 0.001, minTime: 0.001, minSamples: 1 };

/**
 * µs for each of `pieces` pieces, in the cheapest of the samples that `benchmark` takes: other load can only make one
 * dearer. Wall time of this thread, so it compares functions of one process and nothing else.
 */
export function measureMicros(pieces: number, isQuick: boolean, run: () => void): number {
  const { error, stats } = new Benchmark(run, isQuick ? QUICK : FULL).run({ async: false });
  const sample: unknown = stats.sample;
  if (!areTimes(sample)) throw new Error('what is measured has failed', { cause: error });
  return (Math.min(...sample) * 1e6) / pieces;
}

/** Seconds, at least one. */
function areTimes(sample: unknown): sample is number[] {
  return Array.isArray(sample) && sample.length > 0 && sample.every((seconds) => typeof seconds === 'number');
}

/** A row from the price of one piece, with its ratio to another row when one is given. */
export function makeRow(name: string, counted: string, micros: number, baseline?: Row, budget?: Budget): Row {
  const ours = row(name, counted, { work: 1, cpuMicros: micros }, budget === undefined ? {} : { budget });
  return baseline === undefined ? ours : against(ours, baseline);
}

/** The rows as lines of a table. */
export function rowsText(rows: readonly Row[]): string {
  return table(rows);
}
