import type { ByteWriter } from './bytes.ts';
import type { CopyJson } from './codec.ts';
import type { EncodingOptions } from './encoding_options.ts';
import type { PlainJson } from './plain_json.ts';

/** A member of a struct as text in any order is copied. */
export interface CopiedMember {
  /** Its name in quotes, as bytes. */
  readonly quotedName: Uint8Array | ((encoding: EncodingOptions) => Uint8Array);
  readonly copy: CopyJson;
  /** Writes the default; undefined where the member must be given. */
  readonly writeInitial: ((out: ByteWriter, encoding: EncodingOptions) => void) | undefined;
}

/**
 * Copies the members of an object from the one with this index on, in whatever order the text has them. Bytes are
 * written as the text is read, and put into the declared order at the end: that costs less than reading it twice. False
 * if a member is unknown, given twice or missing: `fromJson` decides then.
 */
export function copyInAnyOrder(
  members: readonly CopiedMember[],
  first: number,
  from: PlainJson,
  out: ByteWriter,
  encoding: EncodingOptions,
): boolean {
  const start = out.length;
  const starts: number[] = [];
  const ends: number[] = [];
  for (let index = first; index < members.length; index++) {
    starts.push(-1);
    ends.push(-1);
  }
  while (!from.closes()) {
    const at = nextMember(members, first, starts, from, encoding);
    if (at < 0) return false;
    starts[at] = out.length;
    if (members[first + at]?.copy(from, out, encoding) !== true) return false;
    ends[at] = out.length;
  }
  for (let at = 0; at < starts.length; at++) {
    if (starts[at] !== -1) continue;
    const writeInitial = members[first + at]?.writeInitial;
    if (writeInitial === undefined) return false;
    starts[at] = out.length;
    writeInitial(out, encoding);
    ends[at] = out.length;
  }
  if (!isAscending(starts)) out.arrange(start, starts, ends);
  return true;
}

function isAscending(numbers: readonly number[]): boolean {
  for (let at = 1; at < numbers.length; at++) if ((numbers[at] ?? 0) < (numbers[at - 1] ?? 0)) return false;
  return true;
}

/** The place, behind `first`, of the member that the text has next; −1 if it is none of those not yet copied. */
function nextMember(
  members: readonly CopiedMember[],
  first: number,
  starts: readonly number[],
  from: PlainJson,
  encoding: EncodingOptions,
): number {
  for (let at = 0; at < starts.length; at++) {
    if (starts[at] !== -1) continue;
    const name = members[first + at]?.quotedName;
    if (name !== undefined && from.member(typeof name === 'function' ? name(encoding) : name)) return at;
  }
  return -1;
}
