import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../../../src/base/refusal.ts';
import type { ChainGap } from '../../../../src/feed/chain_feed.ts';
import type { Broadcasts } from '../../../../src/node/threads/broadcasts/broadcasts.ts';
import { leavesOutcomeOpen } from '../../../../src/rpc/broadcast_refusals.ts';
import type { RawItem } from '../../../../src/verifiers/raw_batch.ts';
import { encodeVerdicts } from '../../../../src/verifiers/verdicts.ts';
import type { VerifierReport } from '../../../../src/verifiers/verifier_report.ts';
import {
  encoding,
  FakePool,
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

/** So many more, whose answers nobody looks at. */
function flood(broadcasts: Broadcasts, count: number): void {
  for (let index = 0; index < count; index++) broadcasts.submit(raw(String(index))).catch(() => {});
}

const itemParams = (item?: RawItem): string =>
  item !== undefined && 'params' in item ? Buffer.from(item.params).toString() : '';
const sizes = (pool: FakePool): number[] => pool.batches.map(({ items }) => items.length);
const done = (elapsedMicros: number): VerifierReport => ({ told: [], refused: [], misled: [], elapsedMicros });

test('broadcasts that come together leave together, as many as a batch may hold, and in their order', async () => {
  const { broadcasts, pool } = started();
  flood(broadcasts, 1200);
  await flushed();
  assert.deepEqual(sizes(pool), [1024, 176]);
  assert.deepEqual(pool.batch(0).items.slice(0, 3).map(itemParams), ['0', '1', '2']);
  assert.equal(itemParams(pool.batch(1).items[0]), '1024');
  broadcasts.stop();
});

test('what comes alone leaves at once as long as a verifier is free', async () => {
  const { broadcasts, pool } = started(new FakePool(2));
  for (let count = 1; count <= 2; count++) {
    flood(broadcasts, 1);
    await flushed();
    assert.equal(pool.batches.length, count);
  }
});

test('the batch behind a running one grows until that is nearly done, as others have shown when that is', async () => {
  const { broadcasts, pool, clock } = started();
  flood(broadcasts, 100);
  await flushed();
  // 100 µs each from now on.
  pool.batch(0).report(done(10_000));
  await flushed();
  flood(broadcasts, 200);
  await flushed();
  assert.deepEqual(sizes(pool), [100, 200]);
  for (let ms = 0; ms < 17; ms++) {
    flood(broadcasts, 10);
    await flushed();
    clock.pass(1);
  }
  await flushed();
  assert.deepEqual(sizes(pool), [100, 200]);
  clock.pass(1);
  assert.deepEqual(sizes(pool), [100, 200, 170]);
  flood(broadcasts, 5);
  clock.pass(1000);
  await flushed();
  assert.deepEqual(sizes(pool), [100, 200, 170]);
  pool.batch(1).report(done(20_000));
  await flushed();
  clock.pass(15);
  assert.deepEqual(sizes(pool), [100, 200, 170, 5]);
  broadcasts.stop();
});

test('a full batch waits behind a running one at once, and no more than one for each verifier', async () => {
  const { broadcasts, pool, clock } = started(new FakePool(2));
  flood(broadcasts, 1);
  await flushed();
  pool.batch(0).report(done(1_000_000));
  await flushed();
  for (const count of [1, 1, 1023]) {
    flood(broadcasts, count);
    await flushed();
    clock.pass(10);
  }
  assert.deepEqual(sizes(pool), [1, 1, 1]);
  flood(broadcasts, 1);
  await flushed();
  assert.deepEqual(sizes(pool), [1, 1, 1, 1024]);
  broadcasts.stop();
});

test('large params fill a batch before it has 1024', async () => {
  const { broadcasts, pool, clock } = started();
  const mebibyte = 'x'.repeat(1024 * 1024);
  for (let index = 0; index < 10; index++) broadcasts.submit(raw(mebibyte)).catch(() => {});
  await flushed();
  assert.deepEqual(sizes(pool), [8]);
  clock.pass(10);
  assert.deepEqual(sizes(pool), [8, 2]);
  broadcasts.stop();
});

test('a verifier that is done gets what is there, however little', async () => {
  const { broadcasts, pool } = started();
  flood(broadcasts, 1);
  await flushed();
  pool.batch(0).report(done(1_000_000));
  await flushed();
  flood(broadcasts, 1);
  await flushed();
  flood(broadcasts, 3);
  await flushed();
  assert.deepEqual(sizes(pool), [1, 1]);
  pool.batch(1).report(done(1));
  await flushed();
  assert.deepEqual(sizes(pool), [1, 1, 3]);
  broadcasts.stop();
});

/** Reports a batch and lets the writer accept all of it. */
async function decideAll(broadcasts: Broadcasts, pool: FakePool, index: number): Promise<void> {
  const { items, report } = pool.batch(index);
  report(done(1));
  await flushed();
  const verdicts = items.map(({ ticket }) => ({
    ticket,
    id: ticket.toString(16).padStart(40, '0'),
    expiration: 1000,
    refusal: undefined,
  }));
  broadcasts.takeVerdicts(encodeVerdicts(verdicts));
}

test('those who come back when they are answered are waited for, and leave together', async () => {
  const { broadcasts, pool, clock } = started(new FakePool(8));
  flood(broadcasts, 24);
  await flushed();
  await decideAll(broadcasts, pool, 0);
  for (let round = 1; round <= 3; round++) {
    for (let client = 0; client < 17; client++) flood(broadcasts, 1);
    await flushed();
    assert.equal(pool.batches.length, round, 'not without the others');
    flood(broadcasts, 7);
    await flushed();
    assert.equal(pool.batches.length, round + 1);
    await decideAll(broadcasts, pool, round);
    await flushed();
  }
  assert.deepEqual(sizes(pool), [24, 24, 24, 24]);
  // Only one comes back: it waits in vain once, and the next time for nobody.
  flood(broadcasts, 1);
  await flushed();
  clock.pass(9);
  assert.equal(pool.batches.length, 4);
  clock.pass(1);
  assert.equal(pool.batches.length, 5);
  await decideAll(broadcasts, pool, 4);
  flood(broadcasts, 1);
  await flushed();
  assert.equal(pool.batches.length, 6);
});

test('a broadcast that comes some time after many others is not held back', async () => {
  const { broadcasts, pool, clock } = started();
  flood(broadcasts, 50);
  await flushed();
  await decideAll(broadcasts, pool, 0);
  await flushed();
  clock.pass(101);
  flood(broadcasts, 1);
  await flushed();
  assert.deepEqual(sizes(pool), [50, 1]);
});

test('a batch that failed, or was refused, is no reason to wait for anybody', async () => {
  const { broadcasts, pool } = started();
  flood(broadcasts, 2);
  await flushed();
  pool.batch(0).fail(new Error('gone'));
  await flushed();
  flood(broadcasts, 2);
  await flushed();
  const refusal = { code: 'c', message: 'm', details: {}, lineageCode: 0 };
  pool.batch(1).report({
    told: [],
    refused: [0, 1].map((item) => ({ ticket: pool.ticket(1, item), refusal })),
    misled: [],
    elapsedMicros: 1,
  });
  await flushed();
  flood(broadcasts, 2);
  await flushed();
  assert.deepEqual(sizes(pool), [2, 2, 2]);
});

test('broadcasts that come ever faster are batched without a clock: some wait for others that are being verified', async () => {
  const { broadcasts, pool } = started(new FakePool(8));
  for (let client = 0; client < 24; client++) {
    flood(broadcasts, 1);
    await flushed();
  }
  assert.ok(pool.batches.length <= 8, sizes(pool).join());
  broadcasts.stop();
});

test('the params are copied before the asker takes its buffer back', async () => {
  const { broadcasts, pool } = started();
  const params = Buffer.from('kept');
  broadcasts.submit({ method: 'm', params, encoding, senderId: 1 }).catch(() => {});
  params.fill(0);
  await flushed();
  assert.equal(itemParams(pool.batch(0).items[0]), 'kept');
});

test('who does not wait for a block is answered when verifier and writer have both spoken, in either order', async () => {
  for (const writerFirst of [true, false]) {
    const { broadcasts, pool } = started();
    const answer = broadcasts.submit(raw());
    await flushed();
    const ticket = pool.ticket(0);
    if (writerFirst) broadcasts.takeVerdicts(makeVerdict(ticket));
    pool.batch(0).report(makeReport(ticket, 'accepted'));
    await flushed();
    if (!writerFirst) broadcasts.takeVerdicts(makeVerdict(ticket));
    assert.deepEqual(await answer, outcome({ transaction: '' }));
    assert.deepEqual([broadcasts.size, broadcasts.parked], [0, 0]);
  }
});

test('who waits for a block is answered with the place in it, even when the block comes before the verifier has reported', async () => {
  for (const blockFirst of [true, false]) {
    const { broadcasts, pool } = started();
    const answer = broadcasts.submit(raw());
    await flushed();
    const ticket = pool.ticket(0);
    broadcasts.takeVerdicts(makeVerdict(ticket));
    if (!blockFirst) pool.batch(0).report(makeReport(ticket, 'block'));
    await flushed();
    broadcasts.takeUpdate(makeBlock(6, 900, []), NOWHERE);
    broadcasts.takeUpdate(makeBlock(7, 903, ['00'.repeat(20), ID]), NOWHERE);
    if (blockFirst) pool.batch(0).report(makeReport(ticket, 'block'));
    assert.deepEqual(await answer, outcome({ blockNumber: 7, transactionNumber: 1 }));
    assert.equal(broadcasts.size, 0);
  }
});

test('who waits in vain is answered by the first block behind the expiration, not by one at it', async () => {
  const { broadcasts, pool } = started();
  const answer = broadcasts.submit(raw());
  await flushed();
  broadcasts.takeVerdicts(makeVerdict(pool.ticket(0)));
  pool.batch(0).report(makeReport(pool.ticket(0), 'block'));
  await flushed();
  broadcasts.takeUpdate(makeBlock(8, 1000, []), NOWHERE);
  assert.equal(broadcasts.size, 1);
  broadcasts.takeUpdate(makeBlock(9, 1003, []), NOWHERE);
  assert.deepEqual(await answer, outcome({ blockNumber: 9, expired: true }));
});

test('a refusal of the verifier or of the writer reaches the asker', async () => {
  const { broadcasts, pool } = started();
  const refusal = { code: 'no_operations', message: 'text', details: { a: 1 }, lineageCode: 10 };
  const answers = [broadcasts.submit(raw('1')), broadcasts.submit(raw('2'))];
  await flushed();
  pool.batch(0).report({
    told: makeReport(pool.ticket(0, 1), 'block').told,
    refused: [{ ticket: pool.ticket(0, 0), refusal }],
    misled: [],
    elapsedMicros: 0,
  });
  broadcasts.takeVerdicts(makeVerdict(pool.ticket(0, 1), { refusal: { ...refusal, code: 'other' } }));
  for (const [index, code] of ['no_operations', 'other'].entries())
    await assert.rejects(answers[index] ?? assert.fail(), { name: 'Refusal', code, details: { a: 1 } });
  assert.equal(broadcasts.size, 0);
});

test('any number wait for one transaction, and whoever does not wait is told that it was sent before', async () => {
  for (const reportFirst of [true, false]) {
    const { broadcasts, pool } = started();
    const packed = { packed: new Uint8Array(), waitFor: 'block', encoding, senderId: 0 } as const;
    const answers = [raw(), raw(), raw(), packed].map((each) => broadcasts.submit(each));
    for (const answer of answers) answer.catch(() => undefined);
    await flushed();
    const report = (): void => {
      const told = [0, 1, 3].flatMap((item) => makeReport(pool.ticket(0, item), 'block').told);
      pool.batch(0).report({ told, refused: [], misled: [], elapsedMicros: 0 });
    };
    if (reportFirst) report();
    await flushed();
    broadcasts.takeVerdicts(makeVerdict(pool.ticket(0, 0)));
    for (const item of [1, 2, 3])
      broadcasts.takeVerdicts(makeVerdict(pool.ticket(0, item), { refusal: DUPLICATE, isPending: true }));
    if (!reportFirst) report();
    await flushed();
    assert.equal(broadcasts.parked, 2);
    for (const item of [2, 3]) await assert.rejects(answers[item] ?? assert.fail(), { code: 'duplicate_transaction' });
    broadcasts.takeUpdate(makeBlock(3, 900, [ID]), NOWHERE);
    assert.deepEqual([(await answers[0])?.blockNumber, (await answers[1])?.blockNumber], [3, 3]);
    assert.deepEqual([broadcasts.size, broadcasts.parked], [0, 0]);
  }
});

test('a transaction that was dropped and is sent again leaves nobody behind', async () => {
  const { broadcasts, pool } = started();
  const first = broadcasts.submit(raw());
  await flushed();
  broadcasts.takeVerdicts(makeVerdict(pool.ticket(0)));
  pool.batch(0).report(makeReport(pool.ticket(0), 'block'));
  await flushed();
  const again = broadcasts.submit(raw());
  await flushed();
  broadcasts.takeDropped(makeVerdict(0, { refusal: { ...DUPLICATE, code: 'head_reverted' } }));
  await assert.rejects(first, { code: 'head_reverted' });
  broadcasts.takeVerdicts(makeVerdict(pool.ticket(1)));
  pool.batch(1).report(makeReport(pool.ticket(1), 'block'));
  await flushed();
  broadcasts.takeDropped(makeVerdict(0, { refusal: { ...DUPLICATE, code: 'expires_too_soon' } }));
  assert.deepEqual(await again, outcome({ expired: true }));
  assert.deepEqual([broadcasts.size, broadcasts.parked], [0, 0]);
});

test('no more are taken than the node can hold', async () => {
  const { broadcasts, pool } = started(new FakePool(0));
  const answers = Array.from({ length: LIMITS.queuedBroadcasts }, () => broadcasts.submit(raw()));
  for (const answer of answers) answer.catch(() => {});
  assert.throws(() => broadcasts.submit(raw()), { code: 'too_many_broadcasts' });
  await flushed();
  assert.equal(pool.batches.length, 0);
  broadcasts.stop();
});

test('no more wait for a block than the node can hold', async () => {
  const { broadcasts, pool } = started();
  for (let index = 0; index < LIMITS.parkedBroadcasts; index++) {
    broadcasts.submit(raw()).catch(() => {});
    await flushed();
    broadcasts.takeVerdicts(makeVerdict(pool.ticket(index), { id: String(index).repeat(40) }));
    pool.batch(index).report(makeReport(pool.ticket(index), 'block'));
    await flushed();
  }
  assert.throws(() => broadcasts.submit(raw()), { code: 'too_many_waiting' });
  broadcasts.takeUpdate(makeBlock(3, 900, ['0'.repeat(40)]), NOWHERE);
  broadcasts.submit(raw()).catch(() => {});
  broadcasts.stop();
});

test('a verifier that fails lets only its own batch fail, and what the writer says later harms nobody', async () => {
  const { broadcasts, pool } = started();
  const answer = broadcasts.submit(raw());
  await flushed();
  const ticket = pool.ticket(0);
  broadcasts.takeVerdicts(makeVerdict(ticket));
  pool.batch(0).fail(new RangeError('gone'));
  await assert.rejects(answer, RangeError);
  broadcasts.takeVerdicts(makeVerdict(ticket));
  broadcasts.takeUpdate(makeBlock(3, 900, [ID]), NOWHERE);
  broadcasts.submit(raw()).catch(() => {});
  await flushed();
  assert.equal(pool.batches.length, 2);
});

test('stopping answers everybody who waits, takes nothing more, and a last block harms nobody', async () => {
  const { broadcasts, pool } = started();
  const answer = broadcasts.submit(raw());
  await flushed();
  broadcasts.takeVerdicts(makeVerdict(pool.ticket(0)));
  pool.batch(0).report(makeReport(pool.ticket(0), 'block'));
  await flushed();
  broadcasts.stop();
  await assert.rejects(answer, (error) => error instanceof Refusal && leavesOutcomeOpen(error));
  broadcasts.takeUpdate(makeBlock(3, 900, [ID]), NOWHERE);
  assert.throws(() => broadcasts.submit(raw()), { code: 'stopping' });
});

test('behind a gap, whoever waits is answered with the place that the committed chain knows, or that it was lost, or waits on until it is too late', async () => {
  const { broadcasts, pool, clock } = started();
  const other = 'cd'.repeat(20);
  const answers = [broadcasts.submit(raw('1')), broadcasts.submit(raw('2'))];
  await flushed();
  const [first, second] = [pool.ticket(0, 0), pool.ticket(0, 1)];
  for (const bytes of [makeVerdict(first), makeVerdict(second, { id: other, expiration: 2000 })])
    broadcasts.takeVerdicts(bytes);
  pool.batch(0).report({
    told: [first, second].flatMap((ticket) => makeReport(ticket, 'block').told),
    refused: [],
    misled: [],
    elapsedMicros: 0,
  });
  await flushed();
  const gap = (time: number): ChainGap => ({
    kind: 'gap',
    keptNumber: 1,
    head: { number: 9, id: '', time, irreversible: 0 },
  });
  const third = 'ef'.repeat(20);
  const lost = broadcasts.submit(raw('3'));
  clock.pass(100);
  await flushed();
  broadcasts.takeVerdicts(makeVerdict(pool.ticket(1), { id: third }));
  pool.batch(1).report(makeReport(pool.ticket(1), 'block'));
  await flushed();
  broadcasts.takeGap(gap(900), {
    ...NOWHERE,
    locate: (id) => (id === ID ? { number: 5, index: 3 } : undefined),
    lost: async (ids) => await Promise.resolve(ids.filter((id) => id === third)),
  });
  await assert.rejects(lost, { code: 'dropped', details: { id: third } });
  assert.deepEqual(await answers[0], outcome({ blockNumber: 5, transactionNumber: 3 }));
  assert.equal(broadcasts.parked, 1);
  broadcasts.takeGap(gap(2001), NOWHERE);
  assert.deepEqual(await answers[1], outcome({ transactionId: other, blockNumber: 9, expired: true }));
});
