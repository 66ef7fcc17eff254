import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriterBudget } from '../../src/verifiers/writer_budget.ts';
import { HandClock } from '../builders/hand_clock.ts';

const SLOT_MS = 3000;
const BYTES = Buffer.alloc(500);

/** A budget at the beginning of a slot, and its clock. */
function freshBudget(): { readonly budget: WriterBudget; readonly clock: HandClock } {
  const clock = new HandClock(100 * SLOT_MS);
  return { budget: new WriterBudget(clock, SLOT_MS), clock };
}

const allows = (budget: WriterBudget, ...senderIds: readonly number[]): boolean =>
  budget.allows({ bytes: BYTES, senderIds });

/** Has a sender's broadcast verified as long as that is allowed, at most 10 000 times; returns the milliseconds. */
function usedMs(budget: WriterBudget, ms: number, isRefused: boolean, sender: (count: number) => number): number {
  let used = 0;
  for (let count = 0; count < 10_000 && allows(budget, sender(count)); count++) {
    budget.charge(ms, isRefused ? [sender(count)] : []);
    used += ms;
  }
  return used;
}

test('the writer verifies at most two broadcasts at once, of at most 2 KiB together', () => {
  const { budget } = freshBudget();
  assert.deepEqual([allows(budget, 1), allows(budget, 1, 2), allows(budget, 1, 2, 3)], [true, true, false]);
  assert.equal(budget.allows({ bytes: Buffer.alloc(2049), senderIds: [1] }), false);
});

test('a sender of refused broadcasts uses up its own share of a slot, and others keep theirs', () => {
  const { budget, clock } = freshBudget();
  const wrong = usedMs(budget, 0.5, true, () => 1);
  assert.ok(wrong > 0 && wrong < SLOT_MS / 500, `${wrong} ms`);
  assert.deepEqual([allows(budget, 1), allows(budget, 1, 2), allows(budget, 2)], [false, false, true]);
  clock.pass(SLOT_MS);
  assert.equal(allows(budget, 1), true);
});

test('refused broadcasts of ever new senders use up a share of a slot', () => {
  const { budget, clock } = freshBudget();
  const wrong = usedMs(budget, 0.5, true, (count) => count);
  assert.ok(wrong > 0 && wrong < SLOT_MS / 150, `${wrong} ms`);
  assert.equal(allows(budget, 20_000), false);
  clock.pass(SLOT_MS);
  assert.equal(allows(budget, 20_000), true);
});

test('a refused broadcast is charged by its time: a dear one takes no more of the writer than cheap ones', () => {
  for (const sender of [() => 1, (count: number) => count]) {
    const cheap = usedMs(freshBudget().budget, 0.1, true, sender);
    const dear = usedMs(freshBudget().budget, 2, true, sender);
    assert.ok(dear < cheap + 2, `${dear} ms of dear ones, ${cheap} ms of cheap ones`);
  }
});

test('just before a slot the writer is left alone', () => {
  const { budget, clock } = freshBudget();
  const isAllowed = [30, 15, 15].map((laterMs, index) => {
    clock.pass(index === 0 ? SLOT_MS - laterMs : laterMs);
    return allows(budget, 1);
  });
  assert.deepEqual(isAllowed, [true, false, true]);
});

test('the writer verifies in no more than half of each slot', () => {
  const { budget, clock } = freshBudget();
  assert.equal(
    usedMs(budget, 100, false, () => 1),
    SLOT_MS / 2,
  );
  clock.pass(SLOT_MS);
  assert.equal(allows(budget, 1), true);
});

test('the next slot is far in the first half of a slot', () => {
  const { budget, clock } = freshBudget();
  assert.equal(budget.isSlotFar, true);
  clock.pass(SLOT_MS / 2 + 1);
  assert.equal(budget.isSlotFar, false);
});
