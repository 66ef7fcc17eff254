import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WriteLine } from '../base/log_events/index.ts';
import { ID_BYTES, type BlockId } from '../values/hash.ts';
import type { Seconds } from '../values/time.ts';
import { explain } from '../system/exit_codes.ts';
import { hexMember, isCount, parseMembers, toMembers } from '../system/json_members.ts';
import { writeWholeFile } from '../system/whole_file.ts';

export const MISSED_SLOTS_FILE = 'missed_slots.json';

/** The missed slots of witnesses since the chain began, as of a block. */
export interface MissedSample {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  readonly missed: ReadonlyMap<string, number>;
}

/** Samples of missed slots in the data folder. People read them, and nothing else depends on them. */
export class MissedSlotsFile {
  readonly #path: string;
  readonly #warn: WriteLine<'warning'>;
  #hasFailed = false;

  constructor(folder: string, warn: WriteLine<'warning'>) {
    this.#path = join(folder, MISSED_SLOTS_FILE);
    this.#warn = warn;
  }

  /** Oldest first; none after a warning when the file is damaged. */
  read(): readonly MissedSample[] {
    if (!existsSync(this.#path)) return [];
    const samples = this.#parse();
    if (samples === undefined)
      this.#warn(
        `${this.#path} is damaged: missed slots of a week are counted anew; nothing else depends on it, and the node writes it anew`,
        'missed_slots_damaged',
        {},
      );
    return samples ?? [];
  }

  write(samples: readonly MissedSample[]): void {
    // A disk that refuses is told once.
    if (this.#hasFailed) return;
    try {
      writeWholeFile(this.#path, toText(samples));
    } catch (error) {
      this.#hasFailed = true;
      this.#warn(
        `missed slots of a week are not remembered beyond a restart: ${explain(error)}`,
        'missed_slots_unwritable',
        {},
      );
    }
  }

  #parse(): readonly MissedSample[] | undefined {
    try {
      return parseSamples(readFileSync(this.#path, 'utf8'));
    } catch {
      return undefined; // something else than a file lies there
    }
  }
}

/** A week of 300 witnesses is 0.3 MB, because the names stand there once. */
function toText(samples: readonly MissedSample[]): string {
  const names = [...new Set(samples.flatMap(({ missed }) => [...missed.keys()]))];
  const lines = samples.map(({ missed, ...block }) => ({
    ...block,
    missed: names.map((name) => missed.get(name) ?? null),
  }));
  return `${JSON.stringify({ names, samples: lines })}\n`;
}

/** Undefined when any of it is not what this program writes. */
function parseSamples(text: string): readonly MissedSample[] | undefined {
  const { names, samples } = parseMembers(text) ?? {};
  if (!Array.isArray(names) || !Array.isArray(samples)) return undefined;
  const read = samples.map((sample) => parseSample(sample, names.map(String)));
  return read.every((sample) => sample !== undefined) ? read : undefined;
}

function parseSample(value: unknown, names: readonly string[]): MissedSample | undefined {
  const { number, id, time, missed } = toMembers(value) ?? {};
  const blockId = hexMember(id, ID_BYTES);
  if (!isCount(number) || blockId === undefined || !isCount(time) || !Array.isArray(missed)) return undefined;
  if (missed.length !== names.length || !missed.every((total) => total === null || isCount(total))) return undefined;
  const totals = names.flatMap((name, k): [string, number][] => {
    const total: unknown = missed[k];
    return isCount(total) ? [[name, total]] : [];
  });
  return { number, id: blockId, time, missed: new Map(totals) };
}
