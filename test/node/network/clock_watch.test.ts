import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Log } from '../../../src/base/log.ts';
import { ClockWatch } from '../../../src/node/network/clock_watch.ts';

test('a clock that is off by more than a second is told of once, whichever way, and again when it goes wrong again', () => {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  const log: Log = { debug: note, notice: note, warning: note, error: note };
  const watch = new ClockWatch(log);
  for (const aheadMs of [undefined, 0, 1000, -1000]) watch.look(aheadMs);
  assert.equal(lines.length, 0);
  for (const aheadMs of [1001, 5000, -5000, undefined, -1100]) watch.look(aheadMs);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /clocks of peers are 1\.0 s ahead/);
  assert.match(lines[1] ?? '', /clocks of peers are -1\.1 s ahead/);
});
