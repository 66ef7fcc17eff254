import type { WriteLine } from '../../base/log_events/index.ts';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { exactName, type AccountName } from '../../values/account_name.ts';
import { isMissReason } from '../obstacles.ts';
import type { SlotHistoryStore, SlotOutcome } from '../slot_history.ts';
import { explain } from '../../system/exit_codes.ts';
import { writeWholeFile } from '../../system/whole_file.ts';

export const SLOT_HISTORY_FILE = 'own_slots';

/** Some ten thousand slots; what is above is cut down to the newest of them. */
const LARGEST_BYTES = 512 * 1024;
const KEPT_LINES = 4096;
/** Witness, time as seconds from 1970 on, and why the slot has no block, `-` when it has one. */
const line = /^(\S+) (\d+) (\S+)$/;

/**
 * The slots of this node's witnesses as a file of lines in the data folder. It is a note for people, and no block is
 * signed or left out by it: a line that can't be read is told and left out.
 */
export class SlotHistoryFile implements SlotHistoryStore {
  readonly #path: string;
  readonly #warn: WriteLine<'warning'>;
  #bytes = 0;
  #hasFailed = false;

  constructor(folder: string, warn: WriteLine<'warning'>) {
    this.#path = join(folder, SLOT_HISTORY_FILE);
    this.#warn = warn;
  }

  read(): readonly (readonly [AccountName, SlotOutcome])[] {
    return this.#unlessFailed(() => this.#read()) ?? [];
  }

  add(witness: AccountName, { timestamp, reason }: SlotOutcome): void {
    this.#unlessFailed(() => {
      const text = `${witness} ${timestamp} ${reason ?? '-'}\n`;
      appendFileSync(this.#path, text);
      this.#bytes += text.length;
      if (this.#bytes > LARGEST_BYTES) this.#cut();
    });
  }

  #read(): readonly (readonly [AccountName, SlotOutcome])[] {
    const lines = this.#lines();
    const found = lines.map((text, k) => (k === lines.length - 1 ? undefined : parseOutcome(text)));
    // The last line ends with nothing behind it.
    const damaged = found.flatMap((outcome, k) =>
      outcome === undefined && !(k === lines.length - 1 && lines[k] === '') ? [k + 1] : [],
    );
    if (damaged.length > 0) this.#leaveOut(damaged, lines);
    return found.filter((outcome) => outcome !== undefined);
  }

  /** Writes the file anew, or the next slot would stand behind a line that is cut off. */
  #leaveOut(damaged: readonly number[], lines: readonly string[]): void {
    const [place, end] = [
      damaged.length === 1 ? 'one line' : `${damaged.length} lines`,
      damaged[0] === lines.length ? ', the last,' : '',
    ];
    this.#warn(
      `${this.#path}: ${place} can't be read, first line ${damaged[0]}${end}: slots are missing from what witness status shows of this node, and nothing else depends on them; the file is kept as ${this.#path}.damaged and goes on without them`,
      'slot_history_damaged',
      {},
    );
    writeWholeFile(`${this.#path}.damaged`, readFileSync(this.#path));
    this.#write(lines.filter((_, k) => !damaged.includes(k + 1) && k < lines.length - 1));
  }

  #lines(): string[] {
    if (!existsSync(this.#path)) return [];
    this.#bytes = statSync(this.#path).size;
    if (this.#bytes > 2 * LARGEST_BYTES)
      throw new Fault(
        'damaged_data',
        `${this.#path} is larger than this program makes it; remove it, and a new history begins`,
      );
    return readFileSync(this.#path, 'utf8').split('\n');
  }

  #cut(): void {
    this.#write(this.#lines().slice(0, -1).slice(-KEPT_LINES));
  }

  #write(lines: readonly string[]): void {
    const text = lines.map((each) => `${each}\n`).join('');
    writeWholeFile(this.#path, text);
    this.#bytes = text.length;
  }

  /** A full disk must not keep a witness from its slots: said once, then the file is left alone. */
  #unlessFailed<T>(call: () => T): T | undefined {
    if (this.#hasFailed) return undefined;
    try {
      return call();
    } catch (error) {
      this.#hasFailed = true;
      this.#warn(`own slots are not remembered beyond a restart: ${explain(error)}`, 'slot_history_unwritable', {});
      return undefined;
    }
  }
}

function parseOutcome(text: string): readonly [AccountName, SlotOutcome] | undefined {
  const [, witness, seconds, reason = ''] = line.exec(text) ?? [];
  if (witness === undefined || exactName(witness) !== witness || !(reason === '-' || isMissReason(reason)))
    return undefined;
  return [witness, { timestamp: Number(seconds), reason: reason === '-' ? undefined : reason }];
}
