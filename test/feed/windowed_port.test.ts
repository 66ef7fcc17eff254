import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { WindowedPort } from '../../src/feed/windowed_port.ts';

interface Gap {
  readonly missed: number;
}

const widen = (gap: Gap | undefined): Gap => ({ missed: (gap?.missed ?? 0) + 1 });

test('a follower hears of everything once, as a message or in a gap, in order, and no more is on its way than the pace allows', () => {
  const actions = fc.array(
    fc.oneof(fc.record({ bytes: fc.integer({ min: 0, max: 60 }) }), fc.constant('taken' as const)),
    {
      maxLength: 300,
    },
  );
  fc.assert(
    fc.property(actions, (steps) => {
      const sent: (number | Gap)[] = [];
      let [offered, taken] = [0, 0];
      const port = new WindowedPort<number, Gap>(
        (message) => void sent.push(message),
        { messages: 4, bytes: 100 },
        widen,
      );
      const accounted = (): number =>
        sent.reduce<number>((sum, message) => sum + (typeof message === 'number' ? 1 : message.missed), 0);
      for (const step of steps) {
        if (step !== 'taken') port.offer(offered++, step.bytes);
        else if (taken < sent.length) {
          taken++;
          port.taken();
        }
        assert.ok(sent.length - taken <= 4);
        if (taken === sent.length) assert.equal(accounted(), offered);
      }
      while (taken < sent.length) {
        taken++;
        port.taken();
      }
      assert.equal(accounted(), offered);
      let next = 0;
      for (const message of sent) {
        if (typeof message === 'number') assert.equal(message, next++);
        else next += message.missed;
      }
    }),
  );
});

test('who falls behind gets one gap, however much it missed, and then hears on', () => {
  const sent: (string | Gap)[] = [];
  const port = new WindowedPort<string, Gap>((message) => void sent.push(message), { messages: 2, bytes: 100 }, widen);
  for (const message of ['a', 'b', 'c', 'd', 'e']) port.offer(message, 1);
  assert.deepEqual(sent, ['a', 'b']);
  port.taken();
  assert.deepEqual(sent, ['a', 'b']);
  port.taken();
  assert.deepEqual(sent, ['a', 'b', { missed: 3 }]);
  port.offer('f', 1);
  assert.deepEqual(sent.at(-1), 'f');
});
