import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../../../src/base/refusal.ts';
import { leavesOutcomeOpen } from '../../../../src/rpc/broadcast_refusals.ts';
import type { BroadcastOutcome } from '../../../../src/rpc/services.ts';
import type { ChainGap, ChainUpdate } from '../../../../src/feed/chain_feed.ts';
import type { HandClock } from '../../../builders/hand_clock.ts';
import type { Places } from '../../../../src/node/threads/broadcasts/broadcast_answers.ts';
import type { Broadcasts } from '../../../../src/node/threads/broadcasts/broadcasts.ts';
import {
  type FakePool,
  DUPLICATE,
  LIMITS,
  ID,
  NOWHERE,
  started,
  raw,
  flushed,
  makeVerdict,
  makeBlock,
  makeReport,
  outcome,
} from './told_broadcasts.ts';

/** The id of a block, as far as it matters. */
const blockId = (number: number): string => number.toString(16).padStart(8, '0').padEnd(40, '0');

/** Blocks that were undone and applied, up to a final one. */
function makeChange(
  { number, time, irreversible = 0 }: { number: number; time: number; irreversible?: number },
  { undone = [], ids }: { undone?: readonly number[]; ids?: readonly string[] },
): ChainUpdate {
  const { applied } = makeBlock(number, time, ids ?? []);
  return {
    kind: 'update',
    undone: undone.map(blockId),
    applied: ids === undefined ? [] : applied,
    head: { number, id: blockId(number), time, irreversible },
  };
}

/** The place of these tests' transaction on a chain; the test changes it. */
class OnePlace implements Places {
  place: ReturnType<Places['locate']>;
  isLost = false;
  finalTimeSeconds: number | undefined;

  locate(id: string): ReturnType<Places['locate']> {
    return id === ID ? this.place : undefined;
  }

  lost(ids: readonly string[]): Promise<readonly string[]> {
    return Promise.resolve(this.isLost ? ids : []);
  }

  finalTime(): number | undefined {
    return this.finalTimeSeconds;
  }
}

/** One caller that waits until the block of its transaction is final, and one that waits for the block. */
async function waitingForFinality(): Promise<{
  readonly broadcasts: Broadcasts;
  readonly pool: FakePool;
  readonly clock: HandClock;
  readonly places: OnePlace;
  readonly final: Promise<BroadcastOutcome>;
  readonly block: Promise<BroadcastOutcome>;
  report(): Promise<void>;
}> {
  const parts = started();
  const { broadcasts, pool } = parts;
  const [final, block] = [broadcasts.submit(raw('1')), broadcasts.submit(raw('2'))];
  for (const answer of [final, block]) answer.catch(() => undefined);
  await flushed();
  const [first, second] = [pool.ticket(0, 0), pool.ticket(0, 1)];
  broadcasts.takeVerdicts(makeVerdict(first));
  broadcasts.takeVerdicts(makeVerdict(second, { refusal: DUPLICATE, isPending: true }));
  const report = async (): Promise<void> => {
    pool.batch(0).report({
      told: [...makeReport(first, 'final').told, ...makeReport(second, 'block').told],
      refused: [],
      misled: [],
      elapsedMicros: 0,
    });
    await flushed();
  };
  return { ...parts, places: new OnePlace(), final, block, report };
}

/** True when a promise has settled. */
async function isSettled(answer: Promise<unknown>): Promise<boolean> {
  const waits = Symbol('waits');
  const found = await Promise.race([answer.catch(() => undefined), flushed().then(() => waits)]);
  return found !== waits;
}

test('who waits for finality is answered when the block is final, by a change of finality alone too, and the others when it comes', async () => {
  for (const withBlock of [true, false]) {
    const { broadcasts, places, final, block, report } = await waitingForFinality();
    await report();
    broadcasts.takeUpdate(makeChange({ number: 7, time: 900 }, { ids: [ID] }), places);
    assert.deepEqual(await block, outcome({ blockNumber: 7, transactionNumber: 0 }));
    assert.deepEqual([broadcasts.size, broadcasts.parked, await isSettled(final)], [1, 0, false]);
    places.place = { number: 7, index: 0 };
    broadcasts.takeUpdate(makeChange({ number: 8, time: 903, irreversible: 6 }, { ids: [] }), places);
    assert.equal(await isSettled(final), false);
    broadcasts.takeUpdate(
      makeChange({ number: withBlock ? 9 : 8, time: 906, irreversible: 8 }, withBlock ? { ids: [] } : {}),
      places,
    );
    assert.deepEqual(await final, outcome({ blockNumber: 7, transactionNumber: 0 }));
    assert.equal(broadcasts.size, 0);
  }
});

test('a block that is final when it comes answers both', async () => {
  const { broadcasts, places, final, block, report } = await waitingForFinality();
  await report();
  places.place = { number: 7, index: 0 };
  broadcasts.takeUpdate(makeChange({ number: 7, time: 900, irreversible: 7 }, { ids: [ID] }), places);
  for (const answer of [final, block])
    assert.deepEqual(await answer, outcome({ blockNumber: 7, transactionNumber: 0 }));
});

test('a block that is undone before it is final does not count: its transaction waits for another one, which may have another place', async () => {
  for (const reportLast of [true, false]) {
    const { broadcasts, places, final, report } = await waitingForFinality();
    if (!reportLast) await report();
    broadcasts.takeUpdate(makeChange({ number: 7, time: 900 }, { ids: [ID] }), places);
    broadcasts.takeUpdate(makeChange({ number: 8, time: 906 }, { undone: [7], ids: [] }), places);
    if (reportLast) await report();
    broadcasts.takeUpdate(makeChange({ number: 9, time: 909, irreversible: 8 }, { ids: [] }), places);
    await flushed();
    assert.equal(await isSettled(final), false, 'the undone block');
    places.place = { number: 10, index: 1 };
    broadcasts.takeUpdate(
      makeChange({ number: 10, time: 912, irreversible: 8 }, { ids: ['00'.repeat(20), ID] }),
      places,
    );
    broadcasts.takeUpdate(makeChange({ number: 11, time: 915, irreversible: 10 }, { ids: [] }), places);
    assert.deepEqual(await final, outcome({ blockNumber: 10, transactionNumber: 1 }));
    assert.equal(broadcasts.size, 0);
  }
});

test('who waits for finality is told that a fork has dropped the transaction, with its reason or where nobody gave one', async () => {
  for (const isSaid of [true, false]) {
    const { broadcasts, places, final, report } = await waitingForFinality();
    await report();
    broadcasts.takeUpdate(makeChange({ number: 7, time: 900 }, { ids: [ID] }), places);
    places.isLost = !isSaid;
    broadcasts.takeUpdate(makeChange({ number: 8, time: 906 }, { undone: [7], ids: [] }), places);
    if (isSaid) broadcasts.takeDropped(makeVerdict(0, { refusal: { ...DUPLICATE, code: 'unknown_reference_block' } }));
    const error: unknown = await final.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Refusal && leavesOutcomeOpen(error), String(error));
    assert.equal(error.code, isSaid ? 'unknown_reference_block' : 'dropped');
    assert.equal(error.details[isSaid ? 'dropped_transaction' : 'id'], ID);
    assert.deepEqual([broadcasts.size, broadcasts.parked], [0, 0]);
    if (isSaid) assert.equal(broadcasts.dropped.get(ID)?.reason.name, 'unknown_reference_block');
  }
});

test('who waits for finality is told of an expiration once no branch can take the transaction, the others by the first block behind it', async () => {
  for (const isDropped of [true, false]) {
    const { broadcasts, places, final, block, report } = await waitingForFinality();
    await report();
    if (isDropped) broadcasts.takeDropped(makeVerdict(0, { refusal: { ...DUPLICATE, code: 'expires_too_soon' } }));
    broadcasts.takeUpdate(makeChange({ number: 9, time: 1003, irreversible: 3 }, { ids: [] }), places);
    assert.equal((await block).expired, true);
    assert.equal(await isSettled(final), false);
    places.finalTimeSeconds = 999;
    broadcasts.takeUpdate(makeChange({ number: 10, time: 1006, irreversible: 8 }, { ids: [] }), places);
    assert.equal(await isSettled(final), false);
    places.finalTimeSeconds = 1000;
    broadcasts.takeUpdate(makeChange({ number: 10, time: 1006, irreversible: 9 }, {}), places);
    assert.deepEqual(await final, outcome({ blockNumber: 10, expired: true }));
    assert.deepEqual([broadcasts.size, broadcasts.parked], [0, 0]);
  }
});

test('behind a gap, who waits for finality is answered with the block that the chain has, whatever was told before', async () => {
  const { broadcasts, places, final, report } = await waitingForFinality();
  await report();
  broadcasts.takeUpdate(makeChange({ number: 7, time: 900 }, { ids: [ID] }), places);
  places.place = { number: 8, index: 2 };
  const gap = (irreversible: number): ChainGap => ({
    kind: 'gap',
    keptNumber: 6,
    head: { number: 20, id: blockId(20), time: 940, irreversible },
  });
  broadcasts.takeGap(gap(7), places);
  assert.equal(await isSettled(final), false);
  broadcasts.takeGap({ ...gap(8), keptNumber: 20 }, places);
  assert.deepEqual(await final, outcome({ blockNumber: 8, transactionNumber: 2 }));
});

test('while finality stands still, the oldest of too many and whoever has waited for ten minutes learn in which block they stand; blocks are waited for as before', async () => {
  const { broadcasts, pool, clock } = started();
  const answers: Promise<BroadcastOutcome>[] = [];
  for (let index = 0; index < 4; index++) {
    const answer = broadcasts.submit(raw());
    answer.catch(() => undefined);
    answers.push(answer);
    clock.pass(100);
    await flushed();
    const id = String(index).repeat(40);
    broadcasts.takeVerdicts(makeVerdict(pool.ticket(index), { id }));
    pool.batch(index).report(makeReport(pool.ticket(index), 'final'));
    await flushed();
    broadcasts.takeUpdate(makeChange({ number: index + 1, time: 900 }, { ids: [id] }), NOWHERE);
  }
  for (const [index, answer] of answers.slice(0, 2).entries())
    await assert.rejects(answer, {
      code: 'not_final',
      details: { id: String(index).repeat(40), block_num: index + 1 },
    });
  assert.deepEqual([broadcasts.size, broadcasts.parked], [2, 0]);
  clock.pass(LIMITS.finalityMs - 101);
  assert.equal(broadcasts.size, 2);
  clock.pass(100);
  assert.equal(broadcasts.size, 1);
  await assert.rejects(answers[2] ?? assert.fail(), { code: 'not_final' });
  clock.pass(1);
  await assert.rejects(answers[3] ?? assert.fail(), { code: 'not_final' });
  assert.equal(broadcasts.size, 0);
});
