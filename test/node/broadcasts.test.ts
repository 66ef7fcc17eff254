import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { BroadcastOutcome, RawBroadcast } from '../../src/rpc/services.ts';
import { Broadcasts, type VerifierPool } from '../../src/node/threads/broadcasts.ts';
import { decodeRawBatch, type RawItem } from '../../src/node/threads/raw_batch.ts';
import { encodeVerdicts, type Verdict } from '../../src/node/threads/verdicts.ts';
import type { VerifierReport } from '../../src/node/threads/verifier_report.ts';

const notation = {
  coinSymbol: 'COIN',
  vestsSymbol: 'VESTS',
  keyPrefix: 'PHR',
  word: 'coin',
  dialect: 'default',
  operationForm: 'pair',
} as const;

/** A batch that was handed to the pool and waits for its report. */
interface Batch {
  readonly items: readonly RawItem[];
  report(report: VerifierReport): void;
  fail(error: unknown): void;
}

/** Verifiers that do what the test says. */
class FakePool implements VerifierPool {
  readonly capacity: number;
  readonly batches: Batch[] = [];

  constructor(capacity = 2) {
    this.capacity = capacity;
  }

  verify(batch: Uint8Array<ArrayBuffer>): Promise<VerifierReport> {
    return new Promise((report, fail) => this.batches.push({ items: decodeRawBatch(batch), report, fail }));
  }

  batch(index: number): Batch {
    return this.batches[index] ?? assert.fail(`only ${this.batches.length} batches`);
  }

  ticket(batch: number, item = 0): number {
    return this.batch(batch).items[item]?.ticket ?? assert.fail('no such item');
  }
}

const LIMITS = { queuedBroadcasts: 1500, parkedBroadcasts: 3 };
const ID = 'ab'.repeat(20);

function started(pool = new FakePool()): { broadcasts: Broadcasts; pool: FakePool } {
  const broadcasts = new Broadcasts(LIMITS);
  broadcasts.start(pool);
  return { broadcasts, pool };
}

function raw(text = '{}'): RawBroadcast {
  return { method: 'm', params: Buffer.from(text), notation, source: 1 };
}

/** After everything that was asked for at once has left. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

function verdictOf(ticket: number, more: Partial<Verdict> = {}): Uint8Array {
  return encodeVerdicts([{ ticket, id: ID, expiration: 1000, refusal: undefined, ...more }]);
}

function blockOf(number: number, time: number, ids: readonly string[]): Parameters<Broadcasts['takeBlock']>[0] {
  return { kind: 'block_committed', number, id: '', time, witness: '', produced: true, transactionIds: Buffer.from(ids.join(''), 'hex') };
}

function reportOf(ticket: number, waitFor: 'accepted' | 'block'): VerifierReport {
  return { waiting: waitFor === 'block' ? [{ ticket, transaction: '{"a":1}' }] : [], refused: [], elapsedMicros: 0 };
}

const outcome = (changes: Partial<BroadcastOutcome>): BroadcastOutcome => ({
  transactionId: ID,
  blockNumber: 0,
  transactionNumber: -1,
  expired: false,
  transaction: '{"a":1}',
  ...changes,
});

test('broadcasts that come together leave together, and as many batches as the verifiers can take', async () => {
  const { broadcasts, pool } = started(new FakePool(1));
  const answers = Array.from({ length: 1200 }, (_, index) => broadcasts.submit(raw(String(index))));
  for (const answer of answers) answer.catch(() => {});
  await settled();
  assert.deepEqual(
    pool.batches.map(({ items }) => items.length),
    [1024],
  );
  assert.deepEqual(
    pool
      .batch(0)
      .items.slice(0, 3)
      .map(({ params }) => Buffer.from(params).toString()),
    ['0', '1', '2'],
  );
  pool.batch(0).report({ waiting: [], refused: [], elapsedMicros: 0 });
  await settled();
  assert.deepEqual(
    pool.batches.map(({ items }) => items.length),
    [1024, 176],
  );
  broadcasts.stop();
});

test('the params are copied before the asker takes its buffer back', async () => {
  const { broadcasts, pool } = started();
  const params = Buffer.from('kept');
  broadcasts.submit({ method: 'm', params, notation, source: 1 }).catch(() => {});
  params.fill(0);
  await settled();
  assert.equal(Buffer.from(pool.batch(0).items[0]?.params ?? []).toString(), 'kept');
});

test('who does not wait for a block is answered when verifier and writer have both spoken, in either order', async () => {
  for (const writerFirst of [true, false]) {
    const { broadcasts, pool } = started();
    const answer = broadcasts.submit(raw());
    await settled();
    const ticket = pool.ticket(0);
    if (writerFirst) broadcasts.takeVerdicts(verdictOf(ticket));
    pool.batch(0).report(reportOf(ticket, 'accepted'));
    await settled();
    if (!writerFirst) broadcasts.takeVerdicts(verdictOf(ticket));
    assert.deepEqual(await answer, outcome({ transaction: '' }));
    assert.deepEqual([broadcasts.size, broadcasts.parked], [0, 0]);
  }
});

test('who waits for a block is answered with the place in it, even when the block comes before the verifier has reported', async () => {
  for (const blockFirst of [true, false]) {
    const { broadcasts, pool } = started();
    const answer = broadcasts.submit(raw());
    await settled();
    const ticket = pool.ticket(0);
    broadcasts.takeVerdicts(verdictOf(ticket));
    if (!blockFirst) pool.batch(0).report(reportOf(ticket, 'block'));
    await settled();
    broadcasts.takeBlock(blockOf(6, 900, []));
    broadcasts.takeBlock(blockOf(7, 903, ['00'.repeat(20), ID]));
    if (blockFirst) pool.batch(0).report(reportOf(ticket, 'block'));
    assert.deepEqual(await answer, outcome({ blockNumber: 7, transactionNumber: 1 }));
    assert.equal(broadcasts.size, 0);
  }
});

test('who waits in vain is answered by the first block behind the expiration, not by one at it', async () => {
  const { broadcasts, pool } = started();
  const answer = broadcasts.submit(raw());
  await settled();
  broadcasts.takeVerdicts(verdictOf(pool.ticket(0)));
  pool.batch(0).report(reportOf(pool.ticket(0), 'block'));
  await settled();
  broadcasts.takeBlock(blockOf(8, 1000, []));
  assert.equal(broadcasts.size, 1);
  broadcasts.takeBlock(blockOf(9, 1003, []));
  assert.deepEqual(await answer, outcome({ blockNumber: 9, expired: true }));
});

test('a refusal of the verifier or of the writer reaches the asker', async () => {
  const { broadcasts, pool } = started();
  const refusal = { code: 'no_operations', message: 'text', details: { a: 1 }, lineageCode: 10 };
  const answers = [broadcasts.submit(raw('1')), broadcasts.submit(raw('2'))];
  await settled();
  pool
    .batch(0)
    .report({ waiting: reportOf(pool.ticket(0, 1), 'block').waiting, refused: [{ ticket: pool.ticket(0, 0), refusal }], elapsedMicros: 0 });
  broadcasts.takeVerdicts(verdictOf(pool.ticket(0, 1), { refusal: { ...refusal, code: 'other' } }));
  for (const [index, code] of ['no_operations', 'other'].entries())
    await assert.rejects(answers[index] ?? assert.fail(), { name: 'Refusal', code, details: { a: 1 } });
  assert.equal(broadcasts.size, 0);
});

test('the same transaction is waited for once', async () => {
  const { broadcasts, pool } = started();
  const answers = [broadcasts.submit(raw()), broadcasts.submit(raw())];
  await settled();
  const duplicate = { code: 'duplicate_transaction', message: '', details: {}, lineageCode: 10 };
  pool
    .batch(0)
    .report({ waiting: [0, 1].flatMap((item) => reportOf(pool.ticket(0, item), 'block').waiting), refused: [], elapsedMicros: 0 });
  broadcasts.takeVerdicts(verdictOf(pool.ticket(0, 0)));
  broadcasts.takeVerdicts(verdictOf(pool.ticket(0, 1), { refusal: duplicate }));
  await assert.rejects(answers[1] ?? assert.fail(), { code: 'already_waited_for' });
  broadcasts.takeBlock(blockOf(3, 900, [ID]));
  assert.equal((await answers[0])?.blockNumber, 3);
});

test('no more are taken than the node can hold', async () => {
  const { broadcasts, pool } = started(new FakePool(0));
  const answers = Array.from({ length: LIMITS.queuedBroadcasts }, () => broadcasts.submit(raw()));
  for (const answer of answers) answer.catch(() => {});
  assert.throws(() => broadcasts.submit(raw()), { code: 'too_many_broadcasts' });
  await settled();
  assert.equal(pool.batches.length, 0);
  broadcasts.stop();
});

test('no more wait for a block than the node can hold', async () => {
  const { broadcasts, pool } = started();
  for (let index = 0; index < LIMITS.parkedBroadcasts; index++) {
    broadcasts.submit(raw()).catch(() => {});
    await settled();
    broadcasts.takeVerdicts(verdictOf(pool.ticket(index), { id: String(index).repeat(40) }));
    pool.batch(index).report(reportOf(pool.ticket(index), 'block'));
    await settled();
  }
  assert.throws(() => broadcasts.submit(raw()), { code: 'too_many_waiting' });
  broadcasts.takeBlock(blockOf(3, 900, ['0'.repeat(40)]));
  broadcasts.submit(raw()).catch(() => {});
  broadcasts.stop();
});

test('a verifier that fails lets only its own batch fail, and what the writer says later harms nobody', async () => {
  const { broadcasts, pool } = started();
  const answer = broadcasts.submit(raw());
  await settled();
  const ticket = pool.ticket(0);
  broadcasts.takeVerdicts(verdictOf(ticket));
  pool.batch(0).fail(new RangeError('gone'));
  await assert.rejects(answer, RangeError);
  broadcasts.takeVerdicts(verdictOf(ticket));
  broadcasts.takeBlock(blockOf(3, 900, [ID]));
  broadcasts.submit(raw()).catch(() => {});
  await settled();
  assert.equal(pool.batches.length, 2);
});

test('stopping answers everybody who waits, takes nothing more, and a last block harms nobody', async () => {
  const { broadcasts, pool } = started();
  const answer = broadcasts.submit(raw());
  await settled();
  broadcasts.takeVerdicts(verdictOf(pool.ticket(0)));
  pool.batch(0).report(reportOf(pool.ticket(0), 'block'));
  await settled();
  broadcasts.stop();
  await assert.rejects(answer, { code: 'stopping' });
  broadcasts.takeBlock(blockOf(3, 900, [ID]));
  assert.throws(() => broadcasts.submit(raw()), { code: 'stopping' });
});
