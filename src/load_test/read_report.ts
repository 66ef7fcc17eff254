import { readFileSync } from 'node:fs';
import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import { readJson } from '../codec/json_reader.ts';
import type { TrafficReport } from './traffic_report.ts';

/** The form of a value: a kind, members, elements, values by any name, or one that may be missing (null or absent). */
type Shape =
  | 'number'
  | 'string'
  | 'boolean'
  | { readonly members: Readonly<Record<string, Shape>> }
  | { readonly each: Shape }
  | { readonly pair: readonly Shape[] }
  | { readonly byName: Shape }
  | { readonly optional: Shape };

const number = 'number';
const numbers = (...names: readonly string[]): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, number]));
const members = (own: Readonly<Record<string, Shape>>): Shape => ({ members: own });

const spread = members({
  ...numbers('count', 'mean', 'p50', 'p90', 'p99', 'p999', 'max'),
  curve: { each: { pair: [number, number] } },
});

const moment = members({
  ...numbers('second', 'sent', 'answered', 'refused', 'includedInBlocks', 'backlog'),
  ...numbers('ownCpu', 'ownBytes'),
  ...{ p50Ms: { optional: number }, p99Ms: { optional: number }, p999Ms: { optional: number } },
  ...{ pending: { optional: number }, nodeCpu: { optional: number }, nodeBytes: { optional: number } },
});

/** Every member of a report; a test holds it against what a run writes. */
const reportShape = members({
  ...numbers('format', 'seconds', 'answered', 'answeredPerSecond', 'refusedCalls', 'included'),
  started: 'string',
  settings: members({
    ...{ mix: 'string', urls: { each: 'string' }, perSecond: { optional: number }, overSocket: 'boolean' },
    ...numbers('lanes', 'accounts', 'threads'),
  }),
  interrupted: 'boolean',
  sent: members(numbers('calls', 'posts', 'unsent')),
  refused: { byName: number },
  recoveries: members(numbers('wait', 'next_node', 'final')),
  latencies: members({
    ...{ acceptance: spread, untilBlock: spread, untilFinal: spread, service: spread },
    ...{ inclusion: spread, irreversibility: spread },
  }),
  hostile: {
    optional: members({ latency: spread, kinds: { byName: members(numbers('sent', 'refused', 'taken')) } }),
  },
  forms: { each: members({ name: 'string', ...numbers('calls', 'refused'), latency: spread }) },
  leftOut: { each: 'string' },
  blocks: members({
    ...numbers('first', 'last', 'missedSlots', 'silences', 'transactions', 'mostTransactions', 'undone'),
    ...numbers('maximumBytes', 'averageBytes'),
    intervals: spread,
    course: { each: members(numbers('second', 'fullness', 'transactions')) },
  }),
  audit: members({
    ...numbers('acknowledged', 'irreversible', 'reversible', 'stillValid', 'forgotten', 'twice', 'revoked'),
    ...numbers('expired', 'lost', 'unknown'),
    examples: { each: 'string' },
  }),
  node: {
    optional: members({ ...numbers('pid', 'cpuSeconds', 'bytes', 'mostBytes'), threadCpuSeconds: { each: number } }),
  },
  told: members({
    metricsUrl: 'string',
    metrics: {
      optional: members({
        ...numbers('cpuSeconds', 'bytes', 'mostBytes', 'restarts'),
        most: { byName: number },
        // JSON has no Infinity: what is later than the last class is null.
        blockLateMs: members({ p50: { optional: number }, p99: { optional: number } }),
      }),
    },
    problem: { optional: 'string' },
    health: { optional: members({ status: 'string', ...numbers('headAgeSeconds', 'clockOffsetSeconds') }) },
  }),
  self: members({
    ...numbers('cpuSeconds', 'aheadCpuSeconds', 'perCpuSecond', 'shareOfMachine', 'postingBusy'),
    ...numbers('starvedSeconds', 'mostBytes'),
    limits: { each: 'string' },
  }),
  timeline: { each: moment },
});

const FORMAT = 2;

/** Reads a report of `pharos load --json`; Fault `configuration` names the file and the member that is wrong. */
export function readReport(file: string): TrafficReport {
  const json = parse(file);
  if (isRecord(json) && typeof json['format'] === 'number' && json['format'] !== FORMAT)
    throw new Fault('configuration', `${file} is a report of another version of pharos: run the load again`);
  if (isReport(json)) return json;
  const wrong = findWrong(json, reportShape, '');
  throw new Fault('configuration', `${file} is no report of pharos load --json: ${wrong}; name another one`);
}

function parse(file: string): unknown {
  try {
    return readJson(readFileSync(file));
  } catch (error) {
    throw new Fault(
      'configuration',
      `${file} is damaged, or no report of pharos load --json: ${errorMessage(error)}; name another report`,
      error,
    );
  }
}

function isReport(json: unknown): json is TrafficReport {
  return findWrong(json, reportShape, '') === undefined;
}

function findWrong(value: unknown, shape: Shape, path: string): string | undefined {
  if (typeof shape === 'string') return typeof value === shape ? undefined : `${path || 'it'} is no ${shape}`;
  if ('optional' in shape)
    return value === null || value === undefined ? undefined : findWrong(value, shape.optional, path);
  if ('each' in shape || 'pair' in shape) return findWrongElement(value, shape, path);
  if (!isRecord(value)) return `${path || 'it'} is no object`;
  const own: readonly (readonly [string, Shape])[] =
    'members' in shape
      ? Object.entries(shape.members)
      : Object.keys(value).map((name) => [name, shape.byName] as const);
  return firstOf(own, ([name, each]) => findWrong(value[name], each, path === '' ? name : `${path}.${name}`));
}

function findWrongElement(
  value: unknown,
  shape: { readonly each: Shape } | { readonly pair: readonly Shape[] },
  path: string,
): string | undefined {
  if (!Array.isArray(value)) return `${path} is no list`;
  if ('pair' in shape && value.length !== shape.pair.length) return `${path} has not ${shape.pair.length} elements`;
  return firstOf([...value.entries()], ([index, element]) =>
    findWrong(element, 'each' in shape ? shape.each : (shape.pair[index] ?? number), `${path}.${index}`),
  );
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
