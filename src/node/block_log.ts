import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { readHeader } from '../blocks/block.ts';
import { numberOf } from '../blocks/header.ts';
import { whyItFailed } from './system_error.ts';

/** Bytes after each block: the block's start position, a 64-bit little-endian integer. */
const POSITION_BYTES = 8;
/** Bytes per read while walking back: thousands of ordinary blocks. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** A block log of the lineage node: packed blocks, each followed by its start position. */
export class BlockLog {
  readonly #file: number;
  readonly #path: string;
  /** The start of block N is at index N − 1; the last element is where the next block would start. */
  readonly #starts: readonly number[];

  /** Opens a log and finds its blocks. Fault `damaged_data` when the positions don't lead back to the beginning. */
  constructor(path: string) {
    this.#path = path;
    this.#file = open(path);
    this.#starts = this.#findStarts(fstatSync(this.#file).size);
  }

  /** How many blocks the log holds. */
  get length(): number {
    return this.#starts.length - 1;
  }

  /** The packed form of the log's block `number`, from 1 to `length`: a log that begins later than the chain counts its own. */
  packed(number: number): Uint8Array {
    const start = this.#starts[number - 1] ?? 0;
    const end = (this.#starts[number] ?? start) - POSITION_BYTES;
    return this.#read(start, end - start);
  }

  /** The number that the log's first block has in its chain; 1 for an empty log. */
  firstNumber(): number {
    if (this.length === 0) return 1;
    try {
      return numberOf(readHeader(this.packed(1)));
    } catch (error) {
      if (error instanceof Refusal) throw new Fault('damaged_data', `${this.#path}: its first block is damaged: ${error.message}`, error);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Walks back from the end: the bytes before each start give the start of the previous block. */
  #findStarts(size: number): number[] {
    const starts = [size];
    let window: { start: number; bytes: Buffer } = { start: size, bytes: Buffer.alloc(0) };
    for (let end = size; end > 0;) {
      const at = end - POSITION_BYTES;
      if (at < window.start) {
        const start = Math.max(0, end - WINDOW_BYTES);
        window = { start, bytes: this.#read(start, end - start) };
      }
      const start = at < 0 ? end : Number(window.bytes.readBigUInt64LE(at - window.start));
      if (start >= at) throw new Fault('damaged_data', `${this.#path}: the position before byte ${end} does not lead back to a block`);
      starts.push(start);
      end = start;
    }
    return starts.toReversed();
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#file, bytes, filled, length - filled, start + filled);
      if (count === 0) throw new Fault('damaged_data', `${this.#path} ends before byte ${start + length}`);
      filled += count;
    }
    return bytes;
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new Fault('configuration', `cannot read the block log ${path}: ${whyItFailed(error)}`, error);
  }
}
