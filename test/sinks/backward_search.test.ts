import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { BackwardSearch } from '../../src/sinks/backward_search.ts';
import { RandomSource } from '../builders/random_source.ts';
import { makeStream } from './random_stream.ts';

test('a branch is read back block by block, and no message of the stream is asked for twice', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { marks, branch } = makeStream(new RandomSource(seed), 400);
    const asked = new Map<number, number>();
    const search = new BackwardSearch(
      (sequence) => {
        asked.set(sequence, (asked.get(sequence) ?? 0) + 1);
        return Promise.resolve(marks[sequence]);
      },
      1,
      marks.length - 1,
    );
    for (let head = branch.length - 1; head > 0; head--) {
      const found = present(await search.find(branch[head] ?? ''), `block ${head} of seed ${seed}`);
      assert.equal(found.previous, branch[head - 1]);
    }
    assert.equal(Math.max(...asked.values()), 1);
    assert.equal(await search.find('f'.repeat(40)), undefined);
  }
});

test('messages that an operator has removed are passed, and what was before the first one is not asked for', async () => {
  const { marks, branch } = makeStream(new RandomSource(3), 300);
  const first = Math.trunc(marks.length / 2);
  const search = new BackwardSearch(
    (sequence) => {
      assert.ok(sequence >= first);
      return Promise.resolve(sequence % 7 === 0 ? undefined : marks[sequence]);
    },
    first,
    marks.length - 1,
  );
  assert.equal(await search.find(branch[1] ?? ''), undefined);
});
