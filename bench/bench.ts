// Declares benches. Each file in a folder below bench/ is one: it exports `run`, and the listing of the folders is the
// register.

import { assert } from '../src/base/assert.ts';

/** The options of a bench. */
export interface BenchOptions {
  /** The smallest form that still goes through everything; its figures mean nothing. */
  readonly quick: boolean;
}

/** The function that every bench exports as `run`: it returns its lines of the table. */
export type Bench = (options: BenchOptions) => readonly Row[] | Promise<readonly Row[]>;

/** The bench of a compiled file. */
export async function importBench(file: string): Promise<Bench> {
  const loaded: unknown = await import(file);
  assert(isBench(loaded), `${file} exports run`);
  return (options) => loaded.run(options);
}

function isBench(value: unknown): value is { run: Bench } {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

/** The work done and its CPU time in one process, all threads. Wall time decides nothing: machines are shared. */
export interface Measured {
  readonly work: number;
  readonly cpuMicros: number;
}

/** An amount with an upper bound: milliseconds, bytes. */
export interface Amount {
  readonly value: number;
  readonly unit: string;
}

/** One line of the table. */
export interface Row extends Measured {
  readonly name: string;
  /** The unit of work, such as `transfer in a block`. */
  readonly counted: string;
  readonly perCpuSecond: number;
  /** The result, where that is not work in a CPU-second. */
  readonly amount?: Amount;
  /** The row that it is compared with, measured in the same run. */
  readonly baseline?: string;
  /** Ours for one of the baseline's, more is better. */
  readonly ratio?: number;
  readonly budget?: Budget;
  /** Of another program: the name of our line that does the same. */
  readonly peerOf?: string;
  /** Block size, size of batches, number of keys: whatever the figure depends on. */
  readonly note?: string;
}

/** The promise: work in a CPU-second, a share of the baseline, or a largest amount. */
export type Budget = { readonly perCpuSecond: number } | { readonly ratio: number } | { readonly atMost: number };

/** A line of the table from what was measured. */
export function row(
  name: string,
  counted: string,
  measured: Measured,
  more: Partial<Pick<Row, 'budget' | 'note' | 'peerOf'>> = {},
): Row {
  const { work, cpuMicros } = measured;
  return { name, counted, work, cpuMicros, perCpuSecond: (work * 1e6) / Math.max(cpuMicros, 1), ...more };
}

/** A line whose figure is an amount: less is better, and no work is compared. */
export function amountRow(
  name: string,
  counted: string,
  amount: Amount,
  more: Partial<Pick<Row, 'budget' | 'note'>>,
): Row {
  return { name, counted, work: 0, cpuMicros: 0, perCpuSecond: 0, amount, ...more };
}

/** The same line, compared with another one. */
export function against(ours: Row, baseline: Row): Row {
  return { ...ours, baseline: baseline.name, ratio: ours.perCpuSecond / baseline.perCpuSecond };
}

/** Share of its budget that a line reaches, 1 when it is just met; undefined when nothing was promised. */
export function reached({ budget, perCpuSecond, ratio, amount }: Row): number | undefined {
  if (budget === undefined) return undefined;
  if ('atMost' in budget) return budget.atMost / Math.max(amount?.value ?? Infinity, Number.MIN_VALUE);
  return 'ratio' in budget ? (ratio ?? 0) / budget.ratio : perCpuSecond / budget.perCpuSecond;
}

/** The work in a CPU-second at that price of a unit. */
export function atMostMicros(micros: number): Budget {
  return { perCpuSecond: 1e6 / micros };
}

/**
 * Measures what `run` costs in this process, garbage collection included: the cheapest of several rounds, because
 * neighbours on the same cores can only make it dearer. The first round is for the compiler and doesn't count.
 */
export function measure(work: number, rounds: number, run: () => void): Measured {
  let best = Infinity;
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.min(best, user + system);
  }
  return { work, cpuMicros: best };
}

/** As `measure`, for what takes its time. */
export async function measureAsync(work: number, rounds: number, run: () => Promise<void>): Promise<Measured> {
  let best = Infinity;
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.min(best, user + system);
  }
  return { work, cpuMicros: best };
}
