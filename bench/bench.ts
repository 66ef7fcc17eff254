// What a bench is. Each file in a folder below bench/ is one: it exports `run`, and the listing of the folders is the register.

/** What a bench is asked for. */
export interface BenchOptions {
  /** The smallest form that still goes through everything; its figures mean nothing. */
  readonly quick: boolean;
}

/** What every bench exports as `run`: its lines of the table. */
export type Bench = (options: BenchOptions) => readonly Row[] | Promise<readonly Row[]>;

/** How much was done, and what it cost in CPU time of one process, all threads. Wall time decides nothing: machines are shared. */
export interface Measured {
  readonly work: number;
  readonly cpuMicros: number;
}

/** One line of the table. */
export interface Row extends Measured {
  readonly name: string;
  /** What one unit of work is, such as `transfer in a block`. */
  readonly counted: string;
  readonly perCpuSecond: number;
  /** What it is compared with, measured in the same run. */
  readonly baseline?: string;
  /** Ours for one of the baseline's, more is better. */
  readonly ratio?: number;
  readonly budget?: Budget;
  /** Block size, size of batches, number of keys: whatever the figure depends on. */
  readonly note?: string;
}

/** What was promised: so much work in a CPU-second, or so much of the baseline. */
export type Budget = { readonly perCpuSecond: number } | { readonly ratio: number };

/** A line of the table from what was measured. */
export function row(name: string, counted: string, measured: Measured, more: Partial<Pick<Row, 'budget' | 'note'>> = {}): Row {
  const { work, cpuMicros } = measured;
  return { name, counted, work, cpuMicros, perCpuSecond: (work * 1e6) / Math.max(cpuMicros, 1), ...more };
}

/** The same line, compared with another one. */
export function against(ours: Row, baseline: Row): Row {
  return { ...ours, baseline: baseline.name, ratio: ours.perCpuSecond / baseline.perCpuSecond };
}

/** Share of its budget that a line reaches, 1 when it is just met; undefined when nothing was promised. */
export function reached({ budget, perCpuSecond, ratio }: Row): number | undefined {
  if (budget === undefined) return undefined;
  return 'ratio' in budget ? (ratio ?? 0) / budget.ratio : perCpuSecond / budget.perCpuSecond;
}

/** The work a CPU-second that so many microseconds a unit are. */
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
