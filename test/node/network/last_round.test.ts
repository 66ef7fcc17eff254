import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lastRound } from '../../../src/node/network/last_round.ts';
import { View } from '../../../src/storage/view.ts';
import { growSide, HERE, partedChains, THERE } from '../../builders/parted_witnesses.ts';

test('who has made no block in two rounds is named, and slots that have passed since the head count as empty', () => {
  const { here, store } = partedChains();
  const rows = new View(store, 10);
  const everybody = [...HERE, ...THERE].toSorted();
  const nowMs = (): number => here.head.time * 1000;
  const round = (ageSeconds = 0): ReturnType<typeof lastRound> => lastRound(rows, 3, nowMs() + ageSeconds * 1000);
  growSide(here, [...HERE, ...THERE], 60);
  assert.deepEqual([round().scheduled.toSorted(), round().silent, round().filledSlots], [everybody, [], 51]);
  growSide(here, HERE, 10);
  assert.deepEqual([round().silent.toSorted(), round().scheduled.length], [[...THERE].toSorted(), 4]);
  const { filledSlots } = round();
  assert.ok(filledSlots < 51 && filledSlots > 35, String(filledSlots));
  growSide(here, [...HERE, ...THERE], 60);
  assert.deepEqual([round().silent, round().filledSlots], [[], 51]);

  // The chain stops.
  assert.deepEqual(
    [round(5).filledSlots, round(6).filledSlots, round(60).filledSlots, round(3600).filledSlots],
    [51, 50, 32, 0],
  );
  assert.equal(round(3600).silent.length, 4);
  assert.equal(lastRound(rows, 3, undefined).filledSlots, 51, 'where it sets its own time nothing is missed');
  assert.equal(round(-60).filledSlots, 51);
});
