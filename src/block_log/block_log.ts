import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { Refusal, catchRefusal } from '../base/refusal.ts';
import { readBlock, readHeader, signedBlock } from '../blocks/block.ts';
import { headerNumber } from '../blocks/header.ts';
import { ByteReader } from '../codec/bytes.ts';
import { whyItFailed } from '../system/system_error.ts';

/** Bytes after each block: the block's start position, a 64-bit little-endian integer. */
const POSITION_BYTES = 8;
/** Bytes per read while walking back: thousands of ordinary blocks. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/**
 * Bytes that are read for one block on the way forward: an ordinary one. More are read while they hold a part of a
 * block.
 */
const FIRST_BYTES = 64 * 1024;
const GROWTH = 8;

/** A block log of the lineage node: packed blocks, each followed by its start position. */
export class BlockLog {
  readonly #file: number;
  readonly #path: string;
  /** The start of block N is at index N − 1; the last element is where the next block would start. */
  readonly #starts: readonly number[];

  /**
   * Opens a log and finds its blocks. Fault `damaged_data` when the positions don't lead back to the beginning. With
   * `wanted` the Fault names the last whole block, and damage behind the block `wanted.stopAt` does not matter.
   */
  constructor(path: string, wanted?: { readonly stopAt: number | undefined }) {
    this.#path = path;
    this.#file = open(path);
    try {
      const found = fstatSync(this.#file);
      // Opens as a file does, and no read of it works.
      if (found.isDirectory()) throw new Fault('configuration', `the block log ${path} is a folder; name a file in it`);
      const { size } = found;
      this.#starts =
        wanted === undefined ? this.#findStarts(size) : this.#wantedStarts(size, wanted.stopAt ?? Infinity);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The number of blocks in the log. */
  get length(): number {
    return this.#starts.length - 1;
  }

  /**
   * The packed form of the log's block `number`, from 1 to `length`: a log that begins later than the chain counts its
   * own.
   */
  packed(number: number): Uint8Array {
    const start = this.#starts[number - 1] ?? 0;
    const end = (this.#starts[number] ?? start) - POSITION_BYTES;
    return this.#read(start, end - start);
  }

  /** Describes for people the position of block `number` in the log. */
  placeOf(number: number): string {
    return `${this.#path}, byte ${this.#starts[number - 1] ?? 0}`;
  }

  /** The number that the log's first block has in its chain; 1 for an empty log. */
  firstNumber(): number {
    if (this.length === 0) return 1;
    try {
      return headerNumber(readHeader(this.packed(1)));
    } catch (error) {
      if (error instanceof Refusal)
        throw new Fault('damaged_data', `${this.#path}: its first block is damaged: ${error.message}`, error);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The starts, if the last block is whole; otherwise those of the whole blocks, if they reach to `stopAt`. */
  #wantedStarts(size: number, stopAt: number): readonly number[] {
    if (size === 0) throw this.#damaged('it is empty', 'get another copy');
    const starts = this.#soundStarts(size);
    if (starts !== undefined) return starts;
    const { first, whole } = this.#wholeStarts(size);
    const last = first + whole.length - 2;
    if (last >= stopAt) return whole;
    if (whole.length === 1) throw this.#damaged('it does not begin with a whole block', 'get another copy');
    throw this.#damaged(
      `block ${last} is the last whole one and ends at byte ${whole.at(-1)} of ${size}`,
      `take what is whole with --stop-at ${last}, or get another copy`,
    );
  }

  #damaged(found: string, remedy: string): Fault {
    return new Fault('damaged_data', `the block log ${this.#path} is damaged: ${found}; ${remedy}`);
  }

  /** Zeros at the end lead back too: the last block must be one, and have its place. */
  #soundStarts(size: number): readonly number[] | undefined {
    try {
      const starts = this.#findStarts(size);
      const [last = 0, end = 0] = starts.slice(-2);
      const packed = this.#read(last, end - POSITION_BYTES - last);
      if (isBlank(packed)) return undefined;
      const number = wholeNumber(packed);
      const first = headerNumber(readHeader(this.#read(0, (starts[1] ?? 0) - POSITION_BYTES)));
      return number === first + starts.length - 2 ? starts : undefined;
    } catch (error) {
      if (error instanceof Refusal || error instanceof Fault) return undefined;
      throw error;
    }
  }

  /** Walks forward, block by block, as long as they are whole; the number of the first. */
  #wholeStarts(size: number): { readonly first: number; readonly whole: readonly number[] } {
    const whole = [0];
    let first = 1;
    for (let start = 0; start < size;) {
      const block = this.#wholeBlock(start, size);
      if (block === undefined) break;
      if (start === 0) first = block.number;
      if (block.number !== first + whole.length - 1) break;
      start = block.end;
      whole.push(start);
    }
    return { first, whole };
  }

  /** The block that begins there, and where the next one would; undefined when it isn't whole. */
  #wholeBlock(start: number, size: number): { readonly number: number; readonly end: number } | undefined {
    for (let length = FIRST_BYTES; ; length *= GROWTH) {
      const bytes = this.#read(start, Math.min(length, size - start));
      try {
        const input = new ByteReader(bytes);
        const number = headerNumber(signedBlock.read(input));
        const at = input.position;
        if (at + POSITION_BYTES <= bytes.length) {
          const isWhole = bytes.readBigUInt64LE(at) === BigInt(start) && !isBlank(bytes.subarray(0, at));
          return isWhole ? { number, end: start + at + POSITION_BYTES } : undefined;
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
      if (bytes.length === size - start) return undefined;
    }
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
      if (start >= at)
        throw new Fault('damaged_data', `${this.#path}: the position before byte ${end} does not lead back to a block`);
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

/** Zeros can be read as a first block without transactions. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new Fault('configuration', `cannot read the block log ${path}: ${whyItFailed(error)}`, error);
  }
}

/** The number of a whole block. An operation of a newer program is no damage: the import says at which block it begins. */
function wholeNumber(packed: Uint8Array): number {
  const refusal = catchRefusal(() => readBlock(packed));
  if (refusal !== undefined && refusal.code !== 'unknown_operation') throw refusal;
  return headerNumber(readHeader(packed));
}
