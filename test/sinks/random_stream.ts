import type { EventKind, Mark } from '../../src/sinks/sink.ts';
import type { StreamEvent } from '../../src/sinks/stream_blocks.ts';
import type { RandomSource } from '../builders/random_source.ts';

const ZERO = '0'.repeat(40);
const NUMBER_DIGITS = 8;

/** The messages of a stream, by sequence from 1 on, and the stream's branch behind each. */
export interface RandomStream {
  readonly marks: (Mark | undefined)[];
  readonly branches: (readonly string[])[];
  /** The branch at its end, from the block before the first one on. */
  readonly branch: readonly string[];
}

function makeMark(event: EventKind, block: string, previous: string, head: string, message = 0, isEnd = true): Mark {
  return { event, block, previous, head, message, isEnd, irreversible: 0, form: 'json' };
}

/** An id that its number begins, as those of blocks are; with few seeds some blocks come again. */
function makeId(number: number, previous: string, seed: number): string {
  const start = number.toString(16).padStart(NUMBER_DIGITS, '0');
  return (start + String(seed) + previous.slice(NUMBER_DIGITS)).slice(0, ZERO.length);
}

/** A stream whose branch grows and is taken back by chance. */
export function makeStream(randomSource: RandomSource, events: number): RandomStream {
  const marks: (Mark | undefined)[] = [undefined];
  const branch = [ZERO];
  const branches: (readonly string[])[] = [[...branch]];
  const put = (mark: Mark): void => {
    marks.push(mark);
    branches.push([...branch]);
  };
  for (let made = 0; made < events; made++) {
    const [head = '', previous = ''] = branch.slice(-2).toReversed();
    if (branch.length > 2 && randomSource.chance(35)) {
      branch.pop();
      put(makeMark('undo', head, previous, previous));
      continue;
    }
    const block = makeId(branch.length, head, randomSource.roll(2));
    branch.push(block);
    const messages = 1 + (randomSource.chance(10) ? randomSource.roll(100) : randomSource.roll(3));
    for (let message = 0; message < messages; message++)
      put(makeMark(message === 0 ? 'block' : 'operation', block, head, block, message, message === messages - 1));
    if (randomSource.chance(20)) put(makeMark('irreversible', block, ZERO, block));
  }
  return { marks, branches, branch };
}

/** Makes a message's event of whole blocks; messages of single operations have none. */
export function makeEvent({ event, block: id, previous }: Mark): StreamEvent | undefined {
  const number = Number.parseInt(id.slice(0, NUMBER_DIGITS), 16);
  if (event === 'undo') return { undone: { number: number - 1, id: previous } };
  if (event === 'irreversible') return { irreversible: { number, id } };
  const rest = { timestamp: '', witness: '', transaction_count: 0, operations: [] };
  return event === 'block' ? { block: { number, id, previous, ...rest } } : undefined;
}
