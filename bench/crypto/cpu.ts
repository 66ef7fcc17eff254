import { against, measure, row, type Budget, type Row } from '../bench.ts';
import { table } from '../table.ts';

/** CPU-µs of the process for each of `pieces` pieces, in the best of `rounds` runs: other load can only make a run slower. */
export function cpuMicrosOf(pieces: number, rounds: number, run: () => void): number {
  return measure(pieces, rounds, run).cpuMicros / pieces;
}

/** A row from the price of one piece, with its ratio to another row when one is given. */
export function rowOf(name: string, counted: string, cpuMicros: number, baseline?: Row, budget?: Budget): Row {
  const ours = row(name, counted, { work: 1, cpuMicros }, budget === undefined ? {} : { budget });
  return baseline === undefined ? ours : against(ours, baseline);
}

/** The rows as lines of a table. */
export function rowsText(rows: readonly Row[]): string {
  return table(rows);
}
