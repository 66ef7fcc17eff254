import { isObject } from './node_page.ts';

/** The figures for a browser of the node's own machine: values at a fixed interval, the newest last. */
export interface LastHour {
  readonly everySeconds: number;
  readonly standing: Standing | undefined;
  readonly figures: ReadonlyMap<string, readonly number[]>;
}

/** Reads the node's answer; undefined for what is no such answer. */
export function readLastHour(json: unknown): LastHour | undefined {
  if (!isObject(json) || typeof json['every_seconds'] !== 'number' || !isObject(json['figures'])) return undefined;
  const figures = Object.entries(json['figures']).flatMap(([name, values]): [string, readonly number[]][] =>
    Array.isArray(values) ? [[name, values.filter((value): value is number => typeof value === 'number')]] : [],
  );
  return { everySeconds: json['every_seconds'], standing: readStanding(json['standing']), figures: new Map(figures) };
}

/** The findings of `/readyz` on which an operator acts. */
export interface Standing {
  readonly status: string;
  readonly problems: readonly string[];
}

function readStanding(json: unknown): Standing | undefined {
  if (!isObject(json) || typeof json['status'] !== 'string' || !Array.isArray(json['problems'])) return undefined;
  return { status: json['status'], problems: json['problems'].filter((problem) => typeof problem === 'string') };
}

/** Seconds before now of values that end now. */
export function sampleTimes(count: number, everySeconds: number): number[] {
  return Array.from({ length: count }, (_, index) => (index + 1 - count) * everySeconds);
}
