import { existsSync, readFileSync } from 'node:fs';
import type { KeptStandby } from '../standby.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { isCount, parseMembers } from '../../system/json_members.ts';
import { onDisk } from '../../system/system_error.ts';

const FOR_OWNER = 0o600;

/** A standby's memory across restarts, in a file beside the data folder. It holds no secret. */
export class StandbyFile {
  readonly #path: string;
  #damage: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined when there is no file, `damaged` when it is not as it was written; then `damage` says what to do. */
  read(): KeptStandby | 'damaged' | undefined {
    if (!existsSync(this.#path)) return undefined;
    const kept = this.#kept();
    if (kept !== undefined) return kept;
    this.#damage = `${this.#path} is damaged: it has the switch, and says whether this standby has taken over; put it back from a copy, or give the standby a new key and remove the file, and start the node again; until then this standby does not take over`;
    return 'damaged';
  }

  /** Describes damage of the file to the operator. */
  get damage(): string | undefined {
    return this.#damage;
  }

  #kept(): KeptStandby | undefined {
    const { packed, from, switched, tookOverAt } =
      parseMembers(onDisk(`cannot read ${this.#path}`, () => readFileSync(this.#path, 'utf8'))) ?? {};
    if (typeof packed !== 'string' || !/^(?:[0-9a-f]{2})*$/.test(packed) || typeof from !== 'string') return undefined;
    if (!isCount(switched) || !isCount(tookOverAt)) return undefined;
    return { packed, from, switched, tookOverAt };
  }

  write(kept: KeptStandby): void {
    writeWholeFile(this.#path, `${JSON.stringify(kept, undefined, 1)}\n`, FOR_OWNER);
  }
}
