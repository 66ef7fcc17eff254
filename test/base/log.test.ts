import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineForPeople } from '../../src/base/log.ts';

test('a line for a terminal has the time of day, the level by its name, the text, the fields and the thread', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const line = JSON.stringify({
    level: 40,
    time,
    thread: 'network',
    msg: 'behind by 54 blocks',
    block: 7,
    path: 'a b',
  });
  assert.equal(lineForPeople(line), '03:04:05 warning behind by 54 blocks block=7 path=a b (network)\n');
});
