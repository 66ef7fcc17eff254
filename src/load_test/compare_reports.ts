import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { member } from '../client/chain_of_node.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';

/** What is compared: a name, where it stands in a report, and its unit. */
const FIGURES: readonly (readonly [name: string, path: string, unit: string])[] = [
  ['answered', 'answeredPerSecond', 'a second'],
  ['refused', 'refusedCalls', 'calls'],
  ['acceptance, half', 'latencies.acceptance.p50', 'ms'],
  ['acceptance, 99 %', 'latencies.acceptance.p99', 'ms'],
  ['acceptance, 99.9 %', 'latencies.acceptance.p999', 'ms'],
  ['until block, half', 'latencies.untilBlock.p50', 'ms'],
  ['until block, 99 %', 'latencies.untilBlock.p99', 'ms'],
  ['until final, half', 'latencies.untilFinal.p50', 'ms'],
  ['until final, 99 %', 'latencies.untilFinal.p99', 'ms'],
  ['inclusion, half', 'latencies.inclusion.p50', 'ms'],
  ['inclusion, 99 %', 'latencies.inclusion.p99', 'ms'],
  ['irreversibility, half', 'latencies.irreversibility.p50', 'ms'],
  ['blocks undone', 'blocks.undone', 'blocks'],
  ['slots missed', 'blocks.missedSlots', 'slots'],
  ['lost', 'audit.lost', 'transactions'],
  ['revoked', 'audit.revoked', 'transactions'],
  ['expired', 'audit.expired', 'transactions'],
  ['forgotten', 'audit.forgotten', 'transactions'],
  ['CPU of the node', 'node.cpuSeconds', 's'],
  ['memory of the node', 'node.mostBytes', 'bytes'],
  ['CPU, as the node says', 'told.metrics.cpuSeconds', 's'],
  ['memory, as it says', 'told.metrics.mostBytes', 'bytes'],
  ['CPU of the load tester', 'self.cpuSeconds', 's'],
  ['its calls a CPU-second', 'self.perCpuSecond', 'calls'],
];

const FORMAT = 1;
const COLUMN = 16;
const NAMES = 24;

/** Two reports of `--json`, figure by figure, with the ratio of the second to the first. */
export function compareReports(firstFile: string, secondFile: string): string {
  const [first, second] = [reportIn(firstFile), reportIn(secondFile)];
  const rows = FIGURES.flatMap(([name, path, unit]) => {
    const [a, b] = [figureAt(first, path), figureAt(second, path)];
    return a === undefined || b === undefined ? [] : [row(name, shown(a), shown(b), ratio(a, b), unit)];
  });
  const notes = ['mix', 'perSecond', 'lanes', 'overSocket', 'accounts'].flatMap((name) => {
    const [a, b] = [first, second].map((report) => JSON.stringify(member(member(report, 'settings'), name) ?? null));
    return a === b ? [] : [`not the same load: ${name} is ${a} and ${b}`];
  });
  return `${[row('', 'first', 'second', 'ratio', ''), ...rows, ...notes].join('\n')}\n`;
}

function reportIn(file: string): Json {
  try {
    const json = readJson(readFileSync(file));
    if (member(json, 'format') === FORMAT) return json;
  } catch (error) {
    throw new Fault(
      'configuration',
      `${file} is damaged, or no report of pharos load --json: ${error instanceof Error ? error.message : String(error)}; name another report`,
      error,
    );
  }
  throw new Fault('configuration', `${file} is no report of pharos load --json; name another one`);
}

function figureAt(report: Json, path: string): number | undefined {
  const value = path.split('.').reduce<Json | undefined>((json, name) => member(json, name), report);
  return typeof value === 'number' ? value : undefined;
}

function row(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(NAMES)}${cells.map((cell) => cell.padEnd(COLUMN)).join('')}`.trimEnd();
}

function ratio(a: number, b: number): string {
  if (a === b) return '1.00';
  return a === 0 ? '' : (b / a).toFixed(2);
}

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
