import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import type { StoredHead } from '../../src/sinks/chain_source.ts';
import { beyond, findStart } from '../../src/sinks/stream_search.ts';
import type { StreamEvent } from '../../src/sinks/stream_blocks.ts';
import { RandomSource } from '../builders/random_source.ts';
import { formSize } from '../builders/forms.ts';
import { makeEvent, makeStream, type RandomStream } from './random_stream.ts';

function headBehind(branch: readonly string[]): StoredHead {
  const number = branch.length - 1;
  return {
    number,
    id: number === 0 ? '' : (branch[number] ?? ''),
    position: undefined,
    idAt: (at) => Promise.resolve(at === 0 ? undefined : branch[at]),
  };
}

/** The ids of a database behind an event. */
function taken(branch: readonly string[], event: StreamEvent): readonly string[] {
  if ('undone' in event) {
    assert.equal(branch[event.undone.number], event.undone.id);
    return branch.slice(0, event.undone.number + 1);
  }
  if ('irreversible' in event) return branch;
  assert.deepEqual([event.block.number, event.block.previous], [branch.length, branch.at(-1)]);
  return [...branch, event.block.id];
}

/** Returns the blocks of a database that began with these and has read the stream. */
async function continueReading(branch: readonly string[], { marks }: RandomStream): Promise<readonly string[]> {
  const behind = headBehind(branch);
  const readMark = (sequence: number): Promise<RandomStream['marks'][number]> => Promise.resolve(marks[sequence]);
  const start = await findStart({ first: 1, last: marks.length - 1, markAt: readMark }, behind);
  let [isSearching, now] = [!start.isExact, branch];
  for (const mark of marks.slice(start.sequence + 1)) {
    const event = mark && makeEvent(mark);
    if (mark === undefined || event === undefined) continue;
    const found = isSearching ? await beyond(event, mark.head, behind) : [event];
    for (const each of found ?? []) now = taken(now, each);
    isSearching &&= found === undefined;
  }
  return now;
}

const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 40, long: 400 });

test('a database of any moment of a stream, whatever its sequences were, comes to the branch at the end of the stream', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const randomSource = new RandomSource(seed);
    const stream = makeStream(randomSource, 60 + randomSource.roll(200));
    const branch = stream.branches[randomSource.roll(stream.branches.length)] ?? assert.fail('a branch');
    const came = await continueReading(branch, stream);
    assert.deepEqual(came, stream.branch, `seed ${seed}`);
  }
});

test('a database that has more than a stream which was set back keeps it, and takes back what the stream replaces when it is written on', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const randomSource = new RandomSource(seed);
    const stream = makeStream(randomSource, 60 + randomSource.roll(100));
    const cut = 1 + randomSource.roll(stream.marks.length - 1);
    const older: RandomStream = { ...stream, marks: stream.marks.slice(0, cut) };
    const kept = stream.branches[cut - 1] ?? assert.fail('a branch');
    // Ten blocks beyond what the stream has left.
    const ahead = [
      ...kept,
      ...Array.from({ length: 10 }, (_, k) => `${(kept.length + k).toString(16).padStart(8, '0')}${'e'.repeat(32)}`),
    ];
    assert.deepEqual(await continueReading(ahead, older), ahead, `seed ${seed}`);
    const next = {
      event: 'block',
      block: `${kept.length.toString(16).padStart(8, '0')}${'d'.repeat(32)}`,
      previous: kept.at(-1) ?? '',
    } as const;
    const mark = { ...next, head: next.block, message: 0, isEnd: true, irreversible: 0, form: 'json' };
    const came = await continueReading(ahead, { ...older, marks: [...older.marks, mark] });
    assert.deepEqual(came, [...kept, next.block], `seed ${seed}`);
  }
});

test('the place in a stream of a hundred thousand messages is found with some dozens of looks', async () => {
  const randomSource = new RandomSource(7);
  const long = makeStream(randomSource, 20);
  const marks = [...long.marks];
  const branch = [...long.branch];
  while (marks.length < 100_000) {
    const [previous, number] = [branch.at(-1) ?? '', branch.length];
    const block = `${number.toString(16).padStart(8, '0')}${'a'.repeat(32)}`;
    marks.push({
      event: 'block',
      block,
      previous,
      head: block,
      message: 0,
      isEnd: true,
      irreversible: 0,
      form: 'json',
    });
    branch.push(block);
  }
  for (const length of [30, 1000, 50_000, branch.length - 1]) {
    let looks = 0;
    const readMark = (sequence: number): Promise<RandomStream['marks'][number]> => {
      looks++;
      return Promise.resolve(marks[sequence]);
    };
    const { sequence, isExact } = await findStart(
      { first: 1, last: marks.length - 1, markAt: readMark },
      headBehind(branch.slice(0, length)),
    );
    assert.deepEqual([marks[sequence]?.head, isExact], [branch[length - 1], true]);
    assert.ok(looks < 60, `${looks} looks for block ${length}`);
  }
});

test('a stream that begins behind the database, or with another branch, is refused with what to do', async () => {
  const stream = makeStream(new RandomSource(3), 100);
  const searchRefusal = async (branch: readonly string[], first: number): Promise<string> => {
    const shown = { ...stream, marks: stream.marks.map((mark, sequence) => (sequence < first ? undefined : mark)) };
    return await continueReading(branch, shown).then(
      () => assert.fail('it was read'),
      (error: unknown) =>
        error instanceof Fault && error.code === 'configuration' ? error.message : assert.fail(String(error)),
    );
  };
  const late = stream.marks.findLastIndex((mark) => mark?.event === 'block');
  assert.match(
    await searchRefusal(stream.branch.slice(0, 2), late),
    /^the stream begins with block \d+, and the database ends with block 1: .*--url/,
  );
  const strange = stream.branch.map((id, number) => (number === 0 ? id : `${id.slice(0, 8)}${'9'.repeat(32)}`));
  assert.match(
    await searchRefusal(strange, late),
    /^the stream begins with a block \d+ of another branch than the database's/,
  );
});
