import { existsSync, readFileSync } from 'node:fs';
import type { KeptStandby } from '../witness/standby.ts';
import { writeWholeFile } from './data_folder/whole_file.ts';
import { membersIn } from './json_members.ts';
import { onDisk } from './system_error.ts';

const FOR_OWNER = 0o600;

/** What a standby knows from one run to the next, in a file beside the data folder. It holds no secret. */
export class StandbyFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined when there is none, or none that can be read: the witness gives another one when it is there. */
  read(): KeptStandby | undefined {
    if (!existsSync(this.#path)) return undefined;
    const { packed, from, switched, tookOverAt } =
      membersIn(onDisk(`cannot read ${this.#path}`, () => readFileSync(this.#path, 'utf8'))) ?? {};
    if (typeof packed !== 'string' || !/^(?:[0-9a-f]{2})*$/.test(packed) || typeof from !== 'string') return undefined;
    if (typeof switched !== 'number' || typeof tookOverAt !== 'number') return undefined;
    return { packed, from, switched, tookOverAt };
  }

  write(kept: KeptStandby): void {
    writeWholeFile(this.#path, `${JSON.stringify(kept, undefined, 1)}\n`, FOR_OWNER);
  }
}
