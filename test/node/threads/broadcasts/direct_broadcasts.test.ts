import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionFailure } from '../../../../src/base/assert.ts';
import { Refusal } from '../../../../src/base/refusal.ts';
import type { VerifiedTransaction } from '../../../../src/blocks/transaction.ts';
import { Broadcasts } from '../../../../src/node/threads/broadcasts/broadcasts.ts';
import { DirectBatches } from '../../../../src/verifiers/direct_batches.ts';
import type { WaitFor } from '../../../../src/rpc/wait_for.ts';
import type { ProductionSettings } from '../../../../src/settings/production_settings.ts';
import { chainView } from '../../../../src/state/chain_view.ts';
import { MemoryStore } from '../../../../src/storage/memory.ts';
import { directPorts } from '../../../../src/system/direct_ports.ts';
import { BatchVerifier } from '../../../../src/verifiers/batch_verifier.ts';
import { OwnVerifier } from '../../../../src/verifiers/own_verifier.ts';
import { WriterBudget } from '../../../../src/verifiers/writer_budget.ts';
import {
  encoding,
  makeTransaction,
  produce,
  testParameters,
  testSecret,
  transferJson,
} from '../../../builders/chain.ts';
import { directWriter } from '../../../builders/direct_writer.ts';
import { HandClock } from '../../../builders/hand_clock.ts';
import { flushed, makeBlock, NOWHERE } from './told_broadcasts.ts';

const parameters = testParameters();
const SLOT_MS = parameters.blockIntervalSeconds * 1000;
const LIMITS = { queuedBroadcasts: 1000, parkedBroadcasts: 100, waitingForFinality: 100, finalityMs: 600_000 };
const MINING: ProductionSettings = {
  witnesses: ['initminer'],
  secrets: [testSecret('initminer')],
  allowStale: true,
  requiredParticipation: 0,
  ownTime: true,
  mining: 'automine',
  everyMs: undefined,
};

/** A millisecond passes from one look at it to the next: each batch takes that long. */
class WorkingClock extends HandClock {
  override elapsedMs(): number {
    this.stall(1);
    return super.elapsedMs();
  }
}

interface WayOptions {
  /** Makes a block of each transaction. */
  readonly isMined?: boolean;
  /** The writer's verifier, in place of one that works. */
  readonly verifier?: OwnVerifier;
}

/** Front, verifier and writer in one thread. */
class Way {
  readonly #clock = new HandClock(parameters.genesis.genesis_time * 1000);
  readonly broadcasts = new Broadcasts(LIMITS, this.#clock);
  readonly chain;
  /** Batches that verifiers had. */
  pooled = 0;
  #amount = 0;
  /** Verifiers begin when this resolves. */
  #released: Promise<void> = Promise.resolve();

  private constructor({ isMined = false, verifier: own }: WayOptions) {
    const store = new MemoryStore();
    const view = chainView(store, 100);
    const { writer, client } = directWriter({
      ...{ parameters, store, clock: this.#clock },
      ...(isMined ? { production: MINING } : {}),
      loadVerifier: () => Promise.resolve(own ?? new OwnVerifier({ parameters, view, clock: new WorkingClock(0) })),
      listener: {
        verdicts: (bytes, beganMs, report) => this.broadcasts.takeVerdicts(bytes, beganMs, report),
        verifierLoaded: () => this.broadcasts.writerVerifies(),
        unverified: () => this.broadcasts.takeUnverified(),
      },
    });
    this.chain = writer.chain;
    if (!isMined) produce(this.chain);
    client.follow({
      takeUpdate: (update) => this.broadcasts.takeUpdate(update, NOWHERE),
      takeGap: (gap) => this.broadcasts.takeGap(gap, NOWHERE),
    });
    const [verifierEnd, line] = directPorts<never, Uint8Array<ArrayBuffer>>();
    client.connect(line);
    const verifier = new BatchVerifier({
      ...{ parameters, view, clock: this.#clock },
      handOver: (bytes) => verifierEnd.post(bytes),
    });
    const pool = {
      threads: 2,
      verify: async (batch: Uint8Array) => {
        this.pooled++;
        await this.#released;
        return { ...verifier.verify(batch), elapsedMicros: 100 };
      },
    };
    this.broadcasts.start(pool, new DirectBatches(client, new WriterBudget(this.#clock, SLOT_MS)));
  }

  /** A node that has had some broadcasts one by one and a block, after which its writer can verify. */
  static async opened(options: WayOptions = {}): Promise<Way> {
    const way = new Way(options);
    await way.calm();
    way.broadcasts.takeUpdate(makeBlock(2, 0, []), NOWHERE);
    await flushed();
    assert.deepEqual([way.pooled, way.broadcasts.direct], [16, 0]);
    way.pooled = 0;
    return way;
  }

  async calm(): Promise<void> {
    for (let count = 0; count < 16; count++) assert.equal(await this.submit('alice', 1), 'accepted');
  }

  /** Has verifiers keep their batches until the result is called. */
  holdVerifiers(): () => void {
    let release = (): void => undefined;
    this.#released = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  }

  /** Lets time pass until shortly before the next slot. */
  approachSlot(leftMs: number): void {
    this.#clock.pass(SLOT_MS - (this.#clock.nowMs() % SLOT_MS) - leftMs);
  }

  pass(ms: number): void {
    this.#clock.pass(ms);
  }

  nextSlot(): void {
    this.approachSlot(0);
  }

  /** Submits alice's transfer, signed by somebody, and returns the outcome. */
  async submit(signer: string, senderId: number, waitFor: WaitFor = 'accepted'): Promise<string> {
    const { packed } = this.#transfer(signer);
    return await this.broadcasts.submit({ packed, waitFor, encoding, senderId }).then(
      ({ blockNumber }) => (waitFor === 'accepted' ? 'accepted' : `block ${blockNumber}`),
      (error: unknown) => (error instanceof Refusal ? error.code : 'fault'),
    );
  }

  #transfer(signer: string): VerifiedTransaction {
    return makeTransaction(this.chain, parameters, [transferJson('alice', 'bob', ++this.#amount)], [signer]);
  }
}

test('the writer itself verifies what comes alone, or two together', async () => {
  const way = await Way.opened();
  assert.equal(await way.submit('alice', 1), 'accepted');
  assert.deepEqual(await Promise.all([way.submit('alice', 1), way.submit('bob', 2)]), [
    'accepted',
    'missing_active_authority',
  ]);
  assert.deepEqual([way.pooled, way.broadcasts.direct, way.broadcasts.verified], [0, 3, 19]);
  assert.equal(way.chain.pendingTransactions.length, 18);
});

test('three that come together go to verifiers', async () => {
  const way = await Way.opened();
  const sent = Array.from({ length: 3 }, async () => await way.submit('alice', 1));
  assert.deepEqual(await Promise.all(sent), ['accepted', 'accepted', 'accepted']);
  assert.deepEqual([way.pooled, way.broadcasts.direct], [1, 0]);
});

test('one that comes alone while others are expected goes to verifiers', async () => {
  const way = await Way.opened();
  const sent = Array.from({ length: 3 }, async () => await way.submit('alice', 1));
  await flushed();
  sent.push(way.submit('alice', 1));
  await flushed();
  way.pass(20);
  assert.deepEqual(await Promise.all(sent), ['accepted', 'accepted', 'accepted', 'accepted']);
  assert.deepEqual([way.pooled, way.broadcasts.direct], [2, 0]);
});

test('between busy moments nothing goes to the writer, until few have come for some time', async () => {
  const way = await Way.opened();
  await Promise.all(Array.from({ length: 3 }, async () => await way.submit('alice', 1)));
  way.pass(200);
  for (let count = 0; count < 16; count++) await way.submit('alice', 1);
  const { direct } = way.broadcasts;
  await way.submit('alice', 1);
  await way.submit('alice', 1);
  assert.deepEqual([direct, way.broadcasts.direct > direct], [0, true]);
});

test('a broadcast does not overtake one that verifiers have', async () => {
  const way = await Way.opened();
  const release = way.holdVerifiers();
  way.approachSlot(10);
  const first = way.submit('alice', 1);
  await flushed();
  way.nextSlot();
  const second = way.submit('alice', 1);
  await flushed();
  release();
  assert.deepEqual(await Promise.all([first, second]), ['accepted', 'accepted']);
  assert.deepEqual([way.pooled, way.broadcasts.direct], [2, 0]);
});

test('wrong signatures take little of the writer, whoever sends them, and right ones are accepted beside them', async () => {
  const way = await Way.opened();
  for (let turn = 0; turn < 50; turn++) {
    assert.equal(await way.submit('mallory', 100 + turn), 'missing_active_authority');
    assert.equal(await way.submit('alice', 1), 'accepted');
  }
  const { direct } = way.broadcasts;
  assert.ok(direct > 10 && direct < 40, `${direct} of 100`);
  assert.equal(way.pooled + direct, 100);
  way.nextSlot();
  assert.equal(await way.submit('alice', 1), 'accepted');
  assert.equal(way.broadcasts.direct, direct + 1);
});

test('a sender of wrong signatures goes to verifiers, and another one beside it to the writer', async () => {
  const way = await Way.opened();
  for (let turn = 0; turn < 10; turn++) await way.submit('mallory', 2);
  const wrong = way.broadcasts.direct;
  assert.ok(wrong > 0 && wrong < 10, `${wrong} of 10`);
  assert.equal(await way.submit('alice', 1), 'accepted');
  assert.equal(way.broadcasts.direct, wrong + 1);
});

test('just before a slot broadcasts go to verifiers', async () => {
  const way = await Way.opened();
  way.approachSlot(10);
  assert.equal(await way.submit('alice', 1), 'accepted');
  assert.deepEqual([way.pooled, way.broadcasts.direct], [1, 0]);
});

test('on a chain that makes a block of each transaction, callers are told of it', { timeout: 20_000 }, async () => {
  const way = await Way.opened({ isMined: true });
  const [first, second] = [await way.submit('alice', 1, 'block'), await way.submit('alice', 1, 'block')];
  assert.deepEqual([first, second], [`block ${way.chain.head.number - 1}`, `block ${way.chain.head.number}`]);
  assert.equal(way.broadcasts.direct, 2);
});

test('verifiers take over from a writer whose verifier fails', async () => {
  const view = chainView(new MemoryStore(), 100);
  const clock = new HandClock(0);
  clock.elapsedMs = () => {
    throw new AssertionFailure('time stands still');
  };
  const way = await Way.opened({ verifier: new OwnVerifier({ parameters, view, clock }) });
  assert.deepEqual([await way.submit('alice', 1), await way.submit('alice', 1)], ['accepted', 'accepted']);
  assert.deepEqual([way.pooled, way.broadcasts.direct], [2, 0]);
});
