import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { SnapshotDescription, SnapshotOperations } from '../rpc/services.ts';
import { refuseSnapshot } from '../rpc/snapshot_api/snapshot_refusals.ts';
import { removeUnfinished } from '../data_folder/database_files.ts';
import { explain } from '../system/exit_codes.ts';
import type { ChainFollower, ChainGap, ChainUpdate } from '../feed/chain_feed.ts';
import { onDisk } from '../system/system_error.ts';
import type { SnapshotSettings } from '../settings/snapshot_settings.ts';

/** One that is being written, elsewhere. */
export interface SnapshotUnderWay {
  /** Rejects with a Fault when it can't be written. */
  readonly done: Promise<SnapshotDescription>;
  /** It is no longer wanted; `done` rejects soon. */
  stop(): void;
}

export interface SnapshotsParts {
  readonly settings: SnapshotSettings;
  /** Begins to write one into the folder; undefined where the chain can have none. */
  readonly start: ((folder: string) => SnapshotUnderWay) | undefined;
  readonly log: Log;
}

const FILE = /^snapshot-(\d+)\.avro$/;

/** The name of the snapshot of a block. */
export function snapshotName(block: number): string {
  return `snapshot-${block}.avro`;
}

/** The snapshots that a running node writes, one at a time: on command, and as the chain goes on. */
export class Snapshots implements ChainFollower, SnapshotOperations {
  readonly #parts: SnapshotsParts;
  #underWay: SnapshotUnderWay | undefined;
  /** The next one is due when this block is irreversible; undefined until the chain has moved. */
  #dueAt: number | undefined;
  #lastDue: number | undefined;
  /** The block of the last one that was made on command and was not due, whoever wanted it has it by the next one. */
  #ordered: number | undefined;
  #isStopped = false;

  /** Fault `configuration` when some are wanted of a chain that can have none. */
  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
    const { settings, start } = parts;
    if (settings.everyBlocks !== undefined && start === undefined)
      throw new Fault(
        'configuration',
        'snapshot-every-blocks: this chain has no genesis file but a key alone, and so no snapshots',
      );
    if (existsSync(settings.folder)) onDisk(`cannot tidy ${settings.folder}`, () => removeUnfinished(settings.folder));
  }

  takeUpdate({ head }: ChainUpdate): void {
    this.#look(head.irreversible);
  }

  takeGap({ head }: ChainGap): void {
    this.#look(head.irreversible);
  }

  /**
   * Writes one now. Refusal when another one is being written, or there can be none; Fault when it can't be written.
   */
  async create(): Promise<SnapshotDescription> {
    const file = await this.#write();
    const before = this.#ordered;
    this.#ordered = file.block_number === this.#lastDue ? undefined : file.block_number;
    const isOver = before !== undefined && before !== file.block_number;
    if (isOver && this.#parts.settings.kept === undefined) this.#remove(before);
    return file;
  }

  async #write(): Promise<SnapshotDescription> {
    const { settings, start, log } = this.#parts;
    const { folder } = settings;
    if (start === undefined) return refuseSnapshot.snapshot_without_genesis();
    if (this.#underWay !== undefined) return refuseSnapshot.snapshot_under_way();
    assert(!this.#isStopped, 'a node that stops begins no snapshot');
    onDisk(`cannot make ${folder}`, () => mkdirSync(folder, { recursive: true }));
    const underWay = start(folder);
    this.#underWay = underWay;
    try {
      const file = await underWay.done;
      const { path, block_number: block, block_id: id, state_hash: stateHash, rows, bytes, sha256 } = file;
      log.notice('a snapshot is written', 'snapshot_written', { path, block, id, stateHash, rows, bytes, sha256 });
      this.#removeOld();
      return file;
    } finally {
      this.#underWay = undefined;
    }
  }

  /** Resolves when nothing reads the store any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#underWay?.stop();
    await this.#underWay?.done.catch(() => undefined);
  }

  /** Writes the snapshot that is due; a failure does not stop the node. */
  #look(irreversible: number): void {
    const { everyBlocks } = this.#parts.settings;
    if (everyBlocks === undefined || this.#isStopped) return;
    this.#dueAt ??= nextMultiple(this.#newest() ?? irreversible, everyBlocks);
    if (irreversible < this.#dueAt || this.#underWay !== undefined) return;
    this.#dueAt = nextMultiple(irreversible, everyBlocks);
    this.#writeDue().catch((error: unknown) => {
      if (!this.#isStopped)
        this.#parts.log.error(`a snapshot could not be written: ${explain(error)}`, 'snapshot_failed', {});
    });
  }

  async #writeDue(): Promise<void> {
    const { block_number: block } = await this.#write();
    this.#lastDue = block;
    if (block === this.#ordered) this.#ordered = undefined;
  }

  #newest(): number | undefined {
    return this.#written()[0];
  }

  /** The blocks of which there are snapshots, newest first. */
  #written(): number[] {
    const { folder } = this.#parts.settings;
    if (!existsSync(folder)) return [];
    const names = onDisk(`cannot read ${folder}`, () => readdirSync(folder));
    return names
      .flatMap((name) => FILE.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => b - a);
  }

  #removeOld(): void {
    for (const block of this.#written().slice(this.#parts.settings.kept ?? Infinity)) this.#remove(block);
  }

  #remove(block: number): void {
    const { folder } = this.#parts.settings;
    onDisk(`cannot remove old snapshots in ${folder}`, () =>
      rmSync(join(folder, snapshotName(block)), { force: true }),
    );
  }
}

function nextMultiple(number: number, each: number): number {
  return (Math.trunc(number / each) + 1) * each;
}
