import assert from 'node:assert/strict';
import type { BroadcastOutcome, RawBroadcast } from '../../../../src/rpc/services.ts';
import type { WaitFor } from '../../../../src/rpc/wait_for.ts';
import type { ChainUpdate } from '../../../../src/feed/chain_feed.ts';
import { HandClock } from '../../../builders/hand_clock.ts';
import type { Places } from '../../../../src/node/threads/broadcasts/broadcast_answers.ts';
import { Broadcasts } from '../../../../src/node/threads/broadcasts/broadcasts.ts';
import { decodeRawBatch, type RawItem } from '../../../../src/verifiers/raw_batch.ts';
import { encodeVerdicts, type Verdict } from '../../../../src/verifiers/verdicts.ts';
import type { VerifierReport, BatchPool } from '../../../../src/verifiers/verifier_report.ts';

export const encoding = {
  coinSymbol: 'COIN',
  vestsSymbol: 'VESTS',
  keyPrefix: 'PHR',
  coinName: 'coin',
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
export class FakePool implements BatchPool {
  readonly threads: number;
  readonly batches: Batch[] = [];

  constructor(threads = 1) {
    this.threads = threads;
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

export const DUPLICATE = { code: 'duplicate_transaction', message: '', details: {}, lineageCode: 10 };
export const LIMITS = { queuedBroadcasts: 1500, parkedBroadcasts: 3, waitingForFinality: 2, finalityMs: 600_000 };
export const ID = 'ab'.repeat(20);

/** No block has anything, and the writer has all of it. */
export const NOWHERE: Places = { locate: () => undefined, lost: () => Promise.resolve([]), finalTime: () => undefined };

export function started(pool = new FakePool()): { broadcasts: Broadcasts; pool: FakePool; clock: HandClock } {
  const clock = new HandClock(0);
  const broadcasts = new Broadcasts(LIMITS, clock);
  broadcasts.start(pool);
  return { broadcasts, pool, clock };
}

export function raw(text = '{}'): RawBroadcast {
  return { method: 'm', params: Buffer.from(text), encoding, senderId: 1 };
}

/** After everything that was asked for at once has left. */
export async function flushed(): Promise<void> {
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
}

export function makeVerdict(ticket: number, more: Partial<Verdict> = {}): Uint8Array {
  return encodeVerdicts([{ ticket, id: ID, expiration: 1000, refusal: undefined, ...more }]);
}

export function makeBlock(number: number, time: number, ids: readonly string[]): ChainUpdate {
  const block = {
    number,
    id: '',
    previous: '',
    time,
    witness: 'initminer',
    transactionIds: Buffer.from(ids.join(''), 'hex'),
  };
  return { kind: 'update', undone: [], applied: [block], head: { number, id: '', time, irreversible: 0 } };
}

export function makeReport(ticket: number, waitFor: WaitFor): VerifierReport {
  return {
    told: waitFor === 'accepted' ? [] : [{ ticket, waitFor, transaction: '{"a":1}' }],
    refused: [],
    misled: [],
    elapsedMicros: 0,
  };
}

export const outcome = (changes: Partial<BroadcastOutcome>): BroadcastOutcome => ({
  transactionId: ID,
  blockNumber: 0,
  transactionNumber: -1,
  expired: false,
  transaction: '{"a":1}',
  ...changes,
});
