import { Fault } from '../base/fault.ts';
import { getBlockNumber, ZERO_HASH160, type BlockId } from '../values/hash.ts';
import type { StoredHead } from './chain_source.ts';
import type { Mark } from './sink.ts';
import type { StreamEvent } from './stream_blocks.ts';

/** A stream as it is searched. */
export interface SearchedStream {
  /** Of the first and the last message; the last is below the first where there is none. */
  readonly first: number;
  readonly last: number;
  /** Undefined where there is no such message any more. */
  markAt(sequence: number): Promise<Mark | undefined>;
}

/** The message behind which a stream is read on. */
export interface StreamStart {
  readonly sequence: number;
  /** True when the database ends exactly there; otherwise it may have some of the following blocks. */
  readonly isExact: boolean;
}

/**
 * Finds the message behind which a stream tells what a database lacks. Sequences say nothing by themselves: a server
 * that lost power, or was set back to an older copy, gives the same ones to other messages. Reads some dozens of
 * messages of a stream of any length.
 */
export async function findStart(stream: SearchedStream, behind: StoredHead): Promise<StreamStart> {
  // It may have lost its beginning.
  const beginning = { sequence: stream.first - 1, isExact: false };
  if (behind.number === 0) return beginning;
  // What is above the database's head it does not have.
  const highest = await findLastNotHigher(stream, behind.number);
  const far = await searchDown(stream, highest);
  let nearest: number | undefined;
  for await (const { sequence, mark } of walkDown(stream, highest)) {
    if (mark.head === behind.id) return { sequence, isExact: true };
    if (nearest === undefined && (await isKnown(mark, behind))) nearest = sequence;
    if (nearest !== undefined && nearest - sequence >= LOOKED_BEYOND && far(mark)) break;
  }
  return nearest === undefined ? beginning : { sequence: nearest, isExact: false };
}

/**
 * An undo of the database's last block is found within these; where it is further away, the next block tells as much.
 */
const LOOKED_BEYOND = 256;

/**
 * Says of a message whether no older one needs a look. A stream that ends there has no next block that tells of an
 * undo, so the search goes on to the blocks below the last irreversible one: a stream hardly ever takes those back.
 */
async function searchDown(stream: SearchedStream, highest: number): Promise<(mark: Mark) => boolean> {
  if (highest < stream.last || highest < stream.first) return () => true;
  const irreversible = (await stream.markAt(highest))?.irreversible ?? 0;
  return ({ head }) => getBlockNumber(head) < irreversible;
}

/** Messages that are asked for together in a long search: a server far away takes as long for one. */
const AT_ONCE = 32;

/**
 * The messages from there down, those that were removed left out: one at first, since it is often the right one, then
 * more at a time.
 */
async function* walkDown(
  stream: SearchedStream,
  highest: number,
): AsyncGenerator<{ readonly sequence: number; readonly mark: Mark }> {
  let count = 1;
  for (let next = highest; next >= stream.first; next -= count, count = Math.min(2 * count, AT_ONCE)) {
    const sequences = Array.from({ length: Math.min(count, next - stream.first + 1) }, (_, k) => next - k);
    const marks = await Promise.all(
      sequences.map(async (sequence) => ({ sequence, mark: await stream.markAt(sequence) })),
    );
    for (const { sequence, mark } of marks) if (mark !== undefined) yield { sequence, mark };
  }
}

/** A message whose stream was not above that block, before one whose stream was; branches make it one of several. */
async function findLastNotHigher(stream: SearchedStream, number: number): Promise<number> {
  const isHigher = async (sequence: number): Promise<boolean> => {
    // One that was removed is taken for the one before it.
    for (let at = sequence; at >= stream.first; at--) {
      const mark = await stream.markAt(at);
      if (mark !== undefined) return getBlockNumber(mark.head) > number;
    }
    return false;
  };
  let [below, above] = [stream.first - 1, stream.last + 1];
  // Most databases are near the end.
  for (let step = 1; above - below > 1; step *= 2) {
    const at = Math.max(below + 1, above - step);
    if (!(await isHigher(at))) {
      below = at;
      break;
    }
    above = at;
  }
  while (above - below > 1) {
    const middle = Math.trunc((below + above) / 2);
    if (await isHigher(middle)) above = middle;
    else below = middle;
  }
  return below;
}

/** True when the stream's last block behind a message is in the database. */
async function isKnown({ head }: Mark, behind: StoredHead): Promise<boolean> {
  if (head === ZERO_HASH160 || head === behind.id) return true;
  return (await behind.idAt(getBlockNumber(head))) === head;
}

/**
 * Returns the part of an event that a database lacks; undefined while it has all that the stream has told, whose last
 * block is `head` then. Whatever follows is news. Fault `configuration` where the stream begins elsewhere.
 */
export async function beyond(
  event: StreamEvent,
  head: BlockId,
  behind: StoredHead,
): Promise<readonly StreamEvent[] | undefined> {
  if (!('block' in event)) return head === behind.id ? [] : undefined;
  const { number, id, previous } = event.block;
  if (id === behind.id) return [];
  if ((await behind.idAt(number)) === id) return undefined;
  const before = number === 1 ? ZERO_HASH160 : await behind.idAt(number - 1);
  if (before !== previous) throw new Fault('configuration', unfittingText(number, behind));
  return number > behind.number ? [event] : [{ undone: { number: number - 1, id: previous } }, event];
}

function unfittingText(number: number, behind: StoredHead): string {
  const begins =
    number > behind.number + 1
      ? `begins with block ${number}, and the database ends with block ${behind.number}`
      : `begins with a block ${number} of another branch than the database's`;
  return `the stream ${begins}: go on from a node with --url up to where both have the same`;
}
