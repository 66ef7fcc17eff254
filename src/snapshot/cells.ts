/** The cells of one member of rows, as they lie in a chunk: equal beside equal, which is what packing needs. */
export interface PackedCells {
  /** The length of each as four bytes, split; nothing when all are equally long. */
  readonly lengths: Buffer;
  /**
   * The shortest first, those of a length in the order of their rows; of a length up to 64 bytes all first bytes, then
   * all second ones.
   */
  readonly cells: Buffer;
}

/** The positions of the cells of a chunk's rows: row by row, member by member, without gaps. */
export interface RowLayout {
  readonly bytes: Buffer;
  readonly members: number;
  readonly rows: number;
  /** The start of each cell, and finally the end of the last one. */
  readonly bounds: Uint32Array;
}

/**
 * Numbers, names, hashes and keys are shorter; in longer ones the same words come again, which splitting would hide.
 */
const LONGEST_SPLIT = 64;
const NUMBER_BYTES = 4;

/** Packs the cells of a member, by its place. */
export function packCells({ bytes, bounds, members, rows }: RowLayout, member: number): PackedCells {
  const lengths = new Uint32Array(rows);
  let total = 0;
  for (let row = 0, at = member; row < rows; row++, at += members) {
    const length = (bounds[at + 1] ?? 0) - (bounds[at] ?? 0);
    lengths[row] = length;
    total += length;
  }
  const cells = Buffer.allocUnsafe(total);
  const groups = rowsByLength(lengths);
  let to = 0;
  for (const { length, rows: which } of groups) {
    for (const [from, step] of copySteps(length)) {
      for (const row of which) {
        const start = (bounds[row * members + member] ?? 0) + from;
        if (step === 1) cells[to] = bytes[start] ?? 0;
        else bytes.copy(cells, to, start, start + step);
        to += step;
      }
    }
  }
  return { lengths: groups.length > 1 ? splitNumbers(lengths) : Buffer.alloc(0), cells };
}

/** The lengths of cells that were packed; undefined where they can be none. */
export function cellLengths({ lengths, cells }: PackedCells, rows: number): Uint32Array | undefined {
  if (lengths.length === 0)
    return cells.length % rows === 0 ? new Uint32Array(rows).fill(cells.length / rows) : undefined;
  const all = joinNumbers(lengths, rows);
  const total = all?.reduce((sum, length) => sum + length, 0);
  return total === cells.length ? all : undefined;
}

/** Puts the cells of a member where they belong; their lengths are those of `bounds`. */
export function unpackCells({ bytes, bounds, members, rows }: RowLayout, member: number, cells: Buffer): void {
  const lengths = new Uint32Array(rows);
  for (let row = 0, at = member; row < rows; row++, at += members)
    lengths[row] = (bounds[at + 1] ?? 0) - (bounds[at] ?? 0);
  let from = 0;
  for (const { length, rows: which } of rowsByLength(lengths)) {
    for (const [to, step] of copySteps(length)) {
      for (const row of which) {
        const start = (bounds[row * members + member] ?? 0) + to;
        if (step === 1) bytes[start] = cells[from] ?? 0;
        else cells.copy(bytes, start, from, from + step);
        from += step;
      }
    }
  }
}

/** Numbers as four bytes each, the lowest first, split: all first bytes, then all second ones. */
export function splitNumbers(numbers: Uint32Array): Buffer {
  const split = Buffer.allocUnsafe(NUMBER_BYTES * numbers.length);
  for (let byte = 0, to = 0; byte < NUMBER_BYTES; byte++)
    for (const number of numbers) split[to++] = number >>> (8 * byte);
  return split;
}

/** Joins split numbers; undefined when they are not that many. */
export function joinNumbers(split: Buffer, count: number): Uint32Array | undefined {
  if (split.length !== NUMBER_BYTES * count) return undefined;
  const numbers = new Uint32Array(count);
  for (let byte = 0, from = 0; byte < NUMBER_BYTES; byte++)
    for (let index = 0; index < count; index++)
      numbers[index] = (numbers[index] ?? 0) | ((split[from++] ?? 0) << (8 * byte));
  return numbers;
}

interface Group {
  readonly length: number;
  readonly rows: readonly number[];
}

/** The shortest first. */
function rowsByLength(lengths: Uint32Array): readonly Group[] {
  const groups = new Map<number, number[]>();
  let [last, length] = [newRows(), -1];
  for (let row = 0; row < lengths.length; row++) {
    if (lengths[row] !== length) {
      length = lengths[row] ?? 0;
      last = groups.get(length) ?? newRows();
      groups.set(length, last);
    }
    last.push(row);
  }
  return [...groups].map(([each, rows]) => ({ length: each, rows })).toSorted((a, b) => a.length - b.length);
}

/** Which bytes of cells go together: where they begin, and how many. */
function copySteps(length: number): readonly (readonly [number, number])[] {
  if (length > LONGEST_SPLIT) return [[0, length]];
  return Array.from({ length }, (_, byte) => [byte, 1] as const);
}

function newRows(): number[] {
  return [];
}
