import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { BlockId } from '../values/hash.ts';
import { onDisk } from '../system/system_error.ts';
import { FROM_ELSEWHERE } from './way_out.ts';
import { writeWholeFile } from '../system/whole_file.ts';

/** A block that the operator has named. */
export interface Checkpoint {
  readonly number: number;
  readonly id: BlockId;
}

/** The one that all blocks below lead to. */
export function highestCheckpoint(checkpoints: readonly (readonly [number, BlockId])[]): Checkpoint | undefined {
  const [highest] = checkpoints.toSorted(([a], [b]) => b - a);
  return highest && { number: highest[0], id: highest[1] };
}

export const UNVERIFIED_FILE = 'unverified_blocks';
const VOID = 'void';

/**
 * Says in the data folder that its newest blocks have transactions whose signatures nobody has verified, because these
 * blocks should lead to a checkpoint. Once they have, that is forgotten; when they turn out to lead elsewhere, nothing
 * of the chain is kept.
 */
export class UnverifiedBlocks {
  readonly #path: string;
  readonly #checkpoint: Checkpoint | undefined;
  #isNoted: boolean;

  constructor(folder: string, checkpoint: Checkpoint | undefined) {
    this.#path = join(folder, UNVERIFIED_FILE);
    this.#checkpoint = checkpoint;
    this.#isNoted = existsSync(this.#path);
  }

  /** Call before a block is applied that follows this head and is not verified. */
  note(head: number): void {
    if (this.#isNoted || this.#checkpoint === undefined || head >= this.#checkpoint.number) return;
    writeWholeFile(this.#path, `${this.#checkpoint.number} ${this.#checkpoint.id}\n`);
    this.#isNoted = true;
  }

  /** The chain has reached this head; the blocks up to it are those that the operator wanted. */
  reached(head: number): void {
    if (!this.#isNoted || head < (this.#checkpoint?.number ?? Infinity)) return;
    onDisk(`cannot remove ${this.#path}`, () => rmSync(this.#path, { force: true }));
    this.#isNoted = false;
  }

  /**
   * Enough witnesses have built on another block than the operator has named. What there is goes with the next start.
   */
  refuteAll(): void {
    if (!this.#isNoted) return;
    writeWholeFile(this.#path, `${VOID}\n`);
    throw new Fault(
      'damaged_data',
      `the blocks that peers gave do not lead to the checkpoint, block ${this.#checkpoint?.number}, and their signatures were not verified: they are removed when the node starts again; see that its seeds and the checkpoint are of one chain`,
    );
  }
}

/**
 * True when the blocks of the folder must go; Fault `configuration` when they rest on a checkpoint that is no longer
 * given.
 */
export function isRefuted(folder: string, checkpoints: readonly (readonly [number, BlockId])[]): boolean {
  const path = join(folder, UNVERIFIED_FILE);
  const text = existsSync(path) ? onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8')).trim() : undefined;
  if (text === undefined || text === VOID) return text === VOID;
  const [, number, id] = /^(\d{1,10}) ([0-9a-f]{40})$/.exec(text) ?? [];
  if (number === undefined || id === undefined)
    throw new Fault(
      'damaged_data',
      `${path} is damaged: it says to which checkpoint the newest blocks must lead; ${FROM_ELSEWHERE}`,
    );
  if (checkpoints.some((one) => one[0] === Number(number) && one[1] === id)) return false;
  throw new Fault(
    'configuration',
    `${path}: the signatures of the newest blocks in ${folder} were not verified, because they should lead to a checkpoint: give checkpoint = [${number}, "${id}"] until it is reached, or start over in an empty folder`,
  );
}
