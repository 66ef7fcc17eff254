import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../../src/base/log.ts';
import { RoundWatch } from '../../../src/node/network/round_watch.ts';

const slots = { genesisTime: 0, intervalSeconds: 3 };

/** Lets slots pass of which only some have a block; the lines that were logged. */
function watching(
  hasBlock: (slot: number) => boolean,
  count: number,
  isFollowing: (slot: number) => boolean = () => true,
): string[] {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  const log: Log = { debug: note, notice: note, warning: note, error: note };
  const watch = new RoundWatch(log, slots);
  let head = { number: 1, time: 0 };
  for (let slot = 1; slot <= count; slot++) {
    if (hasBlock(slot)) head = { number: head.number + 1, time: slot * 3 };
    watch.look(head, isFollowing(slot), slot * 3000 + 100);
  }
  return lines;
}

test('a round with too few blocks is said once, and when there are enough again', () => {
  const lines = watching((slot) => slot < 60 || slot > 100, 300);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^partition suspected: 33 of the last 51 slots have a block/);
  assert.match(lines[1] ?? '', /^39 of the last 51 slots have a block again/);
});

test('slots that are missed now and then, or before a node has followed for a round, say nothing', () => {
  assert.deepEqual(
    watching((slot) => slot % 4 !== 0, 200),
    [],
  );
  assert.deepEqual(
    watching(
      (slot) => slot > 40,
      200,
      (slot) => slot > 40,
    ),
    [],
  );
  assert.deepEqual(
    watching(() => false, 40),
    [],
  );
});

test('a head that falls, because a certified branch is shorter, is no round without blocks', () => {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  const watch = new RoundWatch({ debug: note, notice: note, warning: note, error: note }, slots);
  for (let slot = 1; slot <= 300; slot++) {
    // Every tenth slot the last twenty blocks are left for a branch of fifteen.
    const number = slot - 5 * Math.trunc(slot / 10);
    if (slot > 51) watch.look({ number, time: slot * 3 }, true, slot * 3000 + 100);
  }
  assert.deepEqual(
    lines.filter((line) => /-\d/.test(line)),
    [],
    'no negative count',
  );
});
