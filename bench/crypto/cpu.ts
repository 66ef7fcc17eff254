/** One line of a bench: what was done, how much CPU time each piece took, and how that compares with a baseline of the same run. */
export interface BenchRow {
  readonly name: string;
  /** What one piece of work is. */
  readonly work: string;
  readonly cpuMicros: number;
  readonly perCpuSecond: number;
  readonly baseline?: string;
  /** CPU time of the baseline divided by ours: 2 means twice as fast. */
  readonly ratio?: number;
}

/** CPU-µs of the process for each of `pieces` pieces, in the best of `rounds` runs: other load can only make a run slower. */
export function cpuMicrosOf(pieces: number, rounds: number, run: () => void): number {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / pieces);
  }
  return best;
}

/** A row from a measurement, with its ratio to another row when one is given. */
export function rowOf(name: string, work: string, cpuMicros: number, baseline?: BenchRow): BenchRow {
  const row = { name, work, cpuMicros, perCpuSecond: 1e6 / cpuMicros };
  return baseline === undefined ? row : { ...row, baseline: baseline.name, ratio: baseline.cpuMicros / cpuMicros };
}

/** The rows as lines of a table. */
export function rowsText(rows: readonly BenchRow[]): string {
  const line = ({ name, cpuMicros, perCpuSecond, baseline, ratio }: BenchRow): string => {
    const figures = `${cpuMicros.toFixed(2).padStart(9)} CPU-µs ${Math.round(perCpuSecond).toString().padStart(9)} a CPU-second`;
    return `${name.padEnd(56)}${figures}${ratio === undefined ? '' : `  ${ratio.toFixed(2)} × ${baseline ?? ''}`}`;
  };
  return rows.map(line).join('\n');
}
