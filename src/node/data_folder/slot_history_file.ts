import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountName } from '../../values/account_name.ts';
import { isMissReason } from '../../witness/obstacles.ts';
import type { SlotHistoryStore, SlotOutcome } from '../../witness/slot_history.ts';
import { explain } from '../exit_codes.ts';
import { writeWholeFile } from './whole_file.ts';

export const SLOT_HISTORY_FILE = 'own_slots';

/** Some ten thousand slots; what is above is cut down to the newest of them. */
const LARGEST_BYTES = 512 * 1024;
const KEPT_LINES = 4096;
/** Witness, time as seconds from 1970 on, and why the slot has no block, `-` when it has one. */
const line = /^(\S+) (\d+) (\S+)$/;

/** The slots of this node's witnesses as a file of lines in the data folder. It is a note for people: a line that can't be read is left out. */
export class SlotHistoryFile implements SlotHistoryStore {
  readonly #path: string;
  readonly #warn: (sentence: string) => void;
  #bytes = 0;
  #hasFailed = false;

  constructor(folder: string, warn: (sentence: string) => void) {
    this.#path = join(folder, SLOT_HISTORY_FILE);
    this.#warn = warn;
  }

  read(): readonly (readonly [AccountName, SlotOutcome])[] {
    return this.#unlessFailed(() => this.#lines().flatMap(outcomeIn)) ?? [];
  }

  add(witness: AccountName, { timestamp, reason }: SlotOutcome): void {
    this.#unlessFailed(() => {
      const text = `${witness} ${timestamp} ${reason ?? '-'}\n`;
      appendFileSync(this.#path, text);
      this.#bytes += text.length;
      if (this.#bytes > LARGEST_BYTES) this.#cut();
    });
  }

  #lines(): string[] {
    if (!existsSync(this.#path)) return [];
    this.#bytes = statSync(this.#path).size;
    if (this.#bytes > 2 * LARGEST_BYTES) throw new Error(`${this.#path} is larger than this program makes it`);
    return readFileSync(this.#path, 'utf8').split('\n');
  }

  #cut(): void {
    const text = this.#lines().slice(-KEPT_LINES).join('\n');
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
      this.#warn(`own slots are not remembered beyond a restart: ${explain(error)}`);
      return undefined;
    }
  }
}

function outcomeIn(text: string): (readonly [AccountName, SlotOutcome])[] {
  const [, witness, seconds, reason = ''] = line.exec(text) ?? [];
  if (witness === undefined || !(reason === '-' || isMissReason(reason))) return [];
  return [[witness, { timestamp: Number(seconds), reason: reason === '-' ? undefined : reason }]];
}
