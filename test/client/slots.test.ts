import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lastSlots,
  nextWitnesses,
  roundCourse,
  slotsFilled,
  slotText,
  type SeenBlock,
} from '../../src/client/slots.ts';
import { secondsText } from '../../src/client/chain_time.ts';

const witnesses = ['ann', 'ben', 'cid'];
const START = 1_700_000_000;

/** Blocks of a chain in which the witnesses have their slots in turn, but for the slots that are missed. */
function makeChain(
  slots: number,
  missed: readonly number[],
): { readonly blocks: SeenBlock[]; readonly headSlot: number } {
  const blocks: SeenBlock[] = [];
  let headSlot = 0;
  for (let slot = 1; slot <= slots; slot++) {
    if (missed.includes(slot)) continue;
    headSlot = slot;
    blocks.push({
      ...{
        number: blocks.length + 1,
        timestamp: secondsText(START + 3 * slot),
        witness: witnesses[slot % 3] ?? '',
        transaction_count: 0,
      },
    });
  }
  return { blocks, headSlot };
}

function shownSlots(slots: number, missed: readonly number[], count: number): string[] {
  const { blocks, headSlot } = makeChain(slots, missed);
  const head = { time: secondsText(START + 3 * headSlot), slot: headSlot, intervalSeconds: 3 };
  const nextShuffle = Math.ceil((blocks.length + 1) / 3) * 3;
  return lastSlots(blocks, head, { witnesses, nextShuffle }, count).map(({ witness, block }) =>
    block === undefined ? `(${witness})` : witness,
  );
}

test('each slot shows who made its block, or who missed it', () => {
  assert.deepEqual(shownSlots(9, [], 4), ['ann', 'ben', 'cid', 'ann']);
  // Block 9 ended a round in slot 9, so the order that holds now is that of slots 10 to 12.
  assert.deepEqual(shownSlots(12, [11], 4), ['ann', 'ben', '(cid)', 'ann']);
});

test('who missed a slot of an earlier round is not guessed', () => {
  assert.deepEqual(shownSlots(10, [2], 9), ['()', 'ann', 'ben', 'cid', 'ann', 'ben', 'cid', 'ann', 'ben']);
});

test('there are no slots before the first block that is known', () => {
  assert.equal(shownSlots(3, [], 51).length, 3);
});

test('a slot says in words what its colour says', () => {
  const block = { number: 7, timestamp: '2026-11-23T16:00:03', witness: 'ann', transaction_count: 0, lateMs: 1240 };
  assert.equal(
    slotText({ time: '2026-11-23T16:00:03', witness: 'ann', block }),
    'slot of 16:00:03: block 7 by ann, 1.2 s later than the most punctual one',
  );
  assert.equal(
    slotText({ time: '2026-11-23T16:00:03', witness: 'ben', block: undefined }),
    'slot of 16:00:03: missed by ben',
  );
  assert.equal(slotText({ time: '2026-11-23T16:00:03', witness: '', block: undefined }), 'slot of 16:00:03: missed');
});

test('the next witnesses are named as far as the running round has them', () => {
  const round = { witnesses: ['ann', 'ben', 'cid'], nextShuffle: 12 };
  const head = { number: 9, time: '2026-11-23T16:00:27', slot: 9, intervalSeconds: 3 };
  assert.deepEqual(nextWitnesses(head, round, 5), ['ben', 'cid', 'ann']);
  assert.deepEqual(nextWitnesses(head, round, 2), ['ben', 'cid']);
  assert.deepEqual(nextWitnesses({ ...head, number: 11, slot: 12 }, round, 5), ['ben'], 'after a missed slot');
  assert.deepEqual(nextWitnesses({ ...head, number: 12 }, round, 5), [], 'the next round is not drawn');
  assert.deepEqual(nextWitnesses(head, { witnesses: [], nextShuffle: 12 }, 5), []);
});

/** A round so far, and those who follow. */
function shownRound(slots: number, missed: readonly number[], knownFrom = 1, places = 3): string {
  const { blocks, headSlot } = makeChain(slots, missed);
  const head = {
    ...{ time: secondsText(START + 3 * headSlot), slot: headSlot, intervalSeconds: 3 },
    number: blocks.length,
  };
  const nextShuffle = Math.ceil((blocks.length + 1) / 3) * 3;
  const known = blocks.filter(({ number }) => number >= knownFrom);
  const { done, coming } = roundCourse(known, head, { witnesses, nextShuffle }, nextShuffle - 3 + places);
  const shown = done?.map(({ witness, block }) => (block === undefined ? `(${witness})` : witness)).join(' ');
  return `${shown ?? 'unknown'} | ${coming.join(' ')}`;
}

test('the running round shows its slots so far and who follows', () => {
  assert.equal(shownRound(9, []), ' | ben cid ann');
  assert.equal(shownRound(10, []), 'ben | cid ann');
  // A missed slot makes the round a slot longer.
  assert.equal(shownRound(12, [11]), 'ben (cid) ann | ben');
  assert.equal(shownRound(10, [], 1, 6), 'ben | cid ann ben cid ann', 'fewer witnesses than places take turns');
  assert.equal(shownRound(2, []), 'ben cid | ann', 'the first round has no block before it');
});

test('who has produced is not guessed when the beginning of the round is not known', () => {
  assert.equal(shownRound(11, [], 10), 'unknown | ann');
});

test('filled slots of a young chain are counted from its first one', () => {
  for (const [participation_count, current_aslot, slots, percent] of [
    [128, 0, 0, 0],
    [128, 1, 1, 100],
    [126, 4, 4, 50],
    [96, 128, 128, 75],
    [96, 5000, 128, 75],
  ] as const)
    assert.deepEqual(slotsFilled({ participation_count, current_aslot: BigInt(current_aslot) }), { slots, percent });
});
