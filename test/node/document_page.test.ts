import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { documentPage } from '../../src/node/pages.ts';

test('the document is put together once, a piece a turn, for all who ask meanwhile', async () => {
  const turns: number[] = [];
  let made = 0;
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      turns.push(made);
      return systemClock.after(delayMs, run);
    },
  };
  function* pieces(): Generator<string> {
    for (const piece of ['{"a":1', ',"b":2', '}']) {
      made++;
      yield piece;
    }
  }
  const page = documentPage(pieces, clock);
  assert.equal(page('/'), undefined);
  const [first, second] = await Promise.all([page('/openrpc.json'), page('/openrpc.json')]);
  const third = await page('/openrpc.json');
  const expected = { status: 200, contentType: 'application/json', body: '{"a":1,"b":2}' };
  for (const each of [first, second, third]) assert.deepEqual(each, expected);
  assert.deepEqual(turns, [1, 2, 3]);
});
