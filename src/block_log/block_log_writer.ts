import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { GrowingFile } from '../system/growing_file.ts';
import { syncFolder } from '../system/whole_file.ts';
import { onDisk } from '../system/system_error.ts';

/** The name of the index of a block log, as the lineage has it. */
export function indexPath(path: string): string {
  return `${path}.index`;
}

/**
 * Writes the lineage's block log, each packed block followed by the position where it starts, and its index, the
 * positions alone. Both have other names until they are complete, so an older log is replaced by a whole one or not at
 * all.
 */
export class BlockLogWriter {
  readonly #path: string;
  readonly #log: GrowingFile;
  readonly #index: GrowingFile;

  constructor(path: string) {
    this.#path = path;
    this.#log = new GrowingFile(path);
    this.#index = new GrowingFile(indexPath(path));
  }

  /** The length of the log in bytes. */
  get bytes(): number {
    return this.#log.bytes;
  }

  append(packed: Uint8Array): void {
    const position = positionBytes(this.#log.bytes);
    this.#log.write(packed);
    this.#log.write(position);
    this.#index.write(position);
  }

  /** Puts both files in place. An index without its log, or with another one, is never there. */
  finish(): void {
    this.#log.sync();
    this.#index.sync();
    onDisk(`cannot write ${this.#path}`, () => {
      rmSync(indexPath(this.#path), { force: true });
      this.#log.rename();
      this.#index.rename();
      syncFolder(dirname(this.#path));
    });
  }

  /** Removes what was written; whatever had these names before stays. */
  discard(): void {
    this.#log.remove();
    this.#index.remove();
  }
}

/** A position as it stands in logs and indexes: 64 bits, little-endian. */
export function positionBytes(position: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(BigInt(position));
  return bytes;
}
