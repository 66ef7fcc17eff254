import type { PartName, StepName } from './steps.ts';

/** The costs of one load: CPU-µs a transaction. */
export interface LoadCosts {
  readonly load: string;
  /** Of the round that was sampled. */
  readonly transactions: number;
  /** A recovery by the native addon beside it: how fast the machine was. */
  readonly recoverMicros: number;
  readonly parts: readonly PartCosts[];
}

/** The costs of the threads of one kind. */
export interface PartCosts {
  readonly part: PartName;
  /** As the system counts, kernel included. */
  readonly micros: number;
  /** Wakes of a thread after it went to sleep, a transaction. */
  readonly wakes: number;
  /** System calls a transaction. */
  readonly calls: readonly { readonly call: string; readonly count: number }[];
  readonly steps: readonly StepCosts[];
}

/** The costs of one step in the threads of one kind. */
export interface StepCosts {
  readonly step: StepName;
  readonly micros: number;
  /** The part of it in the kernel. */
  readonly kernel: number;
}

/** The sheet with its day and machine. */
export interface CostSheet {
  readonly machine: string;
  readonly when: string;
  readonly loads: readonly LoadCosts[];
}

const HEADING = `# Costs of a transaction, by thread and step

\`npm run bench -- --costs\` writes this page and costs.json. [README](README.md) says how it measures.
`;
/** Steps whose frames no rule knows. */
const UNEXPLAINED: ReadonlySet<StepName> = new Set(['kernel: other', 'other']);

/** The page of a sheet. The same sheet gives the same page. */
export function costsPage({ machine, when, loads }: CostSheet): string {
  return [
    HEADING,
    `${machine}, ${when.slice(0, 10)}. All figures are CPU-µs a transaction.\n`,
    ...loads.map(section),
  ].join('\n');
}

/** The share of the CPU time that the system counts, 0 to 1, that named steps take. */
export function explainedShare({ parts }: LoadCosts): number {
  const named = parts.flatMap(({ steps }) => steps.filter(({ step }) => !UNEXPLAINED.has(step)));
  return Math.min(1, sum(named.map(({ micros }) => micros)) / sum(parts.map(({ micros }) => micros)));
}

function section(costs: LoadCosts): string {
  const { load, transactions, recoverMicros } = costs;
  const parts = costs.parts.filter(({ micros }) => micros > 0);
  const all = sum(parts.map(({ micros }) => micros));
  const steps = [...new Set(parts.flatMap((part) => part.steps.map(({ step }) => step)))];
  const rows = steps
    .map((step) => ({ step, costs: parts.map((part) => part.steps.find((one) => one.step === step)?.micros ?? 0) }))
    .sort((a, b) => sum(b.costs) - sum(a.costs));
  return [
    `## ${load[0]?.toUpperCase()}${load.slice(1)}`,
    '',
    `${all.toFixed(1)} µs a transaction, ${Math.round(explainedShare(costs) * 100)} % of it explained; ${transactions} transactions. A recovery took ${recoverMicros.toFixed(1)} µs beside it.`,
    '',
    `| step | ${parts.map(({ part }) => part).join(' | ')} | all | share |`,
    `|---|${parts.map(() => '---|').join('')}---|---|`,
    ...rows.map((row) => line(row.step, row.costs, all)),
    line(
      '**all steps**',
      parts.map((part) => sum(part.steps.map(({ micros }) => micros))),
      all,
    ),
    line(
      '**CPU time as the system counts**',
      parts.map(({ micros }) => micros),
      all,
    ),
    line(
      'of the steps, in the kernel',
      parts.map((part) => sum(part.steps.map(({ kernel }) => kernel))),
      all,
    ),
    '',
    `| a transaction | ${parts.map(({ part }) => part).join(' | ')} | all |`,
    `|---|${parts.map(() => '---|').join('')}---|`,
    counts(
      'wakes',
      parts.map(({ wakes }) => wakes),
    ),
    ...callNames(parts).map((call) =>
      counts(
        `\`${call}\``,
        parts.map((part) => part.calls.find((one) => one.call === call)?.count ?? 0),
      ),
    ),
    '',
  ].join('\n');
}

function line(name: string, costs: readonly number[], all: number): string {
  const total = sum(costs);
  return `| ${[name, ...costs.map(figure), figure(total), `${((total / all) * 100).toFixed(1)} %`].join(' | ')} |`;
}

function counts(name: string, numbers: readonly number[]): string {
  return `| ${[name, ...numbers, sum(numbers)].map((cell) => (typeof cell === 'number' ? (cell === 0 ? '' : cell.toFixed(2)) : cell)).join(' | ')} |`;
}

function callNames(parts: readonly PartCosts[]): readonly string[] {
  return [...new Set(parts.flatMap(({ calls }) => calls.map(({ call }) => call)))];
}

function figure(micros: number): string {
  return micros < 0.05 ? '' : micros.toFixed(1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
