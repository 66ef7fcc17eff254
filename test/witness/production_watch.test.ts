import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Producer } from '../../src/witness/produce.ts';
import { ProductionLoop } from '../../src/witness/production_loop.ts';
import type { Obstacle } from '../../src/witness/obstacles.ts';
import { ProductionWatch } from '../../src/witness/production_watch.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testKey, testKeyText, produce, testSecret } from '../builders/chain.ts';
import { SlotHistory } from '../../src/witness/slot_history.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { chainOfTwoWitnesses, makeProducer } from '../builders/witness_round.ts';

interface Watched {
  readonly chain: Chain;
  readonly clock: HandClock;
  readonly watch: ProductionWatch;
  readonly said: string[];
  /** Keys that witnesses have in place of those on the chain. */
  readonly keys: Map<string, string>;
}

interface Options {
  readonly allowStale?: boolean;
  readonly aheadMs?: number;
  /** Another node that makes the blocks of these witnesses. */
  readonly others?: readonly string[];
  readonly refuses?: boolean;
  readonly isPaused?: () => boolean;
  /** The keys that vote in the epoch. */
  readonly voters?: readonly string[];
}

/** A node that produces with this, from a second before the next slot on. */
function watched(
  producer: Producer,
  {
    allowStale = true,
    aheadMs = 1000,
    others = [],
    refuses = false,
    isPaused = () => false,
    voters = [],
  }: Options = {},
): Watched {
  const chain = chainOfTwoWitnesses();
  const clock = new HandClock(chain.slotTime(1) * 1000 - aheadMs);
  const said: string[] = [];
  const keys = new Map<string, string>();
  const view = {
    findProductionSlot(time: number) {
      const scheduled = chain.findProductionSlot(time);
      return scheduled && { ...scheduled, signingKey: keys.get(scheduled.witness) ?? scheduled.signingKey };
    },
    slotTime: (slot: number) => chain.slotTime(slot),
    signingKeyOf: (witness: string) => keys.get(witness) ?? chain.signingKeyOf(witness),
    get headTime() {
      return chain.headTime;
    },
    get participation() {
      return chain.participation;
    },
  };
  const watch = new ProductionWatch({
    chain: view,
    producer,
    keyPrefix: 'PHR',
    countsSlots: true,
    isBeingSigned: () => false,
    standsBy: () => false,
    hasVote: (key) => voters.map((name) => testKey(name)).includes(key),
    waitSeconds: () => 0,
    history: new SlotHistory(),
    warn: (sentence) => said.push(sentence),
  });
  const loop = new ProductionLoop({
    clock,
    chain: view,
    producer,
    allowStale,
    everyMs: undefined,
    heldBack: () => (isPaused() ? 'paused' : undefined),
    areEnoughAlive: () => false,
    produce({ timestamp, witness }) {
      if (!refuses)
        chain.seal({
          timestamp,
          witness,
          sign: (digest) => present(signWithSecret(digest, testSecret(witness)), 'a signature'),
        });
    },
    passed: () => undefined,
    looked: (look) => watch.take(look),
    woke() {
      // A tenth of a second behind the slot, as blocks of others arrive.
      const scheduled = chain.findProductionSlot(Math.trunc((clock.nowMs() - 100) / 1000));
      if (
        scheduled !== undefined &&
        others.includes(scheduled.witness) &&
        scheduled.timestamp * 1000 + 100 <= clock.nowMs()
      ) {
        const slot = (scheduled.timestamp - chain.slotTime(1)) / 3 + 1;
        produce(chain, slot);
      }
    },
  });
  loop.start();
  return { chain, clock, watch, said, keys };
}

const MINUTE_MS = 60_000;

function findObstacle({ watch }: Watched, witness: string): Obstacle | undefined {
  return watch.witnesses.find((each) => each.witness === witness)?.obstacle;
}

function countMissed({ watch }: Watched, witness: string): number {
  return watch.witnesses.find((each) => each.witness === witness)?.missedSlots ?? -1;
}

test('a node that makes all its blocks says nothing', () => {
  const node = watched(makeProducer(['alice', 'initminer']));
  node.clock.pass(10 * MINUTE_MS);
  assert.deepEqual(node.said, []);
  assert.deepEqual([countMissed(node, 'alice'), findObstacle(node, 'alice'), node.watch.unusedKeys], [0, undefined, 0]);
  assert.equal(node.chain.participation, 10_000);
});

test('a witness that another machine makes blocks for misses none, and slots of others are no affair of this node', () => {
  const node = watched(makeProducer(['alice']), { others: ['initminer'] });
  node.clock.pass(5 * MINUTE_MS);
  assert.deepEqual([node.said, countMissed(node, 'alice')], [[], 0]);
});

test('each reason is said once with what to do about it, and each missed slot once', () => {
  const cases: readonly (readonly [Obstacle, Watched, RegExp])[] = [
    [
      'unknown_witness',
      watched(makeProducer(['nobody'])),
      /witness nobody makes no blocks: the chain knows no witness of that name/,
    ],
    [
      'wrong_key',
      watched(makeProducer(['alice'], ['bob'])),
      new RegExp(`witness alice .*signs with ${testKeyText('alice')}, .*add it`),
    ],
    [
      'low_participation',
      watched({ ...makeProducer(['alice']), requiredParticipation: 10_001 }),
      /required-participation asks for 100\.01 %/,
    ],
    ['refused', watched(makeProducer(['alice']), { refuses: true }), /they are refused/],
    [
      'clock',
      watched(makeProducer(['alice']), { aheadMs: 10 * MINUTE_MS }),
      /is 5\d\d seconds ahead of the clock of this machine; set the clock right/,
    ],
    [
      'not_synced',
      watched(makeProducer(['alice']), { allowStale: false, aheadMs: -MINUTE_MS }),
      /head block is \d+ seconds old;.* enable-stale-production/,
    ],
  ];
  for (const [obstacle, node, text] of cases) {
    const [name = ''] = node.watch.witnesses.map(({ witness }) => witness);
    node.clock.pass(MINUTE_MS);
    assert.equal(findObstacle(node, name), obstacle);
    const missed = node.said.filter((line) => /has missed its slot of/.test(line));
    const reasons = node.said.filter((line) => text.test(line));
    assert.equal(reasons.length, 1, `${obstacle}: ${node.said.join('\n')}`);
    assert.equal(missed.length, countMissed(node, name), obstacle);
    assert.equal(new Set(missed).size, missed.length, obstacle);
    const missesSlots = ['wrong_key', 'low_participation', 'refused'].includes(obstacle);
    if (missesSlots)
      assert.ok(
        missed.length >= 5 && missed.every((line) => line.endsWith(`: ${obstacle}`)),
        `${obstacle}: ${missed.join()}`,
      );
    else assert.equal(missed.length, 0, obstacle);
  }
});

test('a replaced key is told from a wrong one, a stopped witness from both, and a reason that comes again is said again', () => {
  const node = watched(makeProducer(['alice', 'initminer']));
  node.clock.pass(MINUTE_MS);
  node.keys.set('alice', testKey('bob'));
  node.clock.pass(MINUTE_MS);
  assert.equal(findObstacle(node, 'alice'), 'key_replaced');
  assert.equal(node.watch.unusedKeys, 1);
  node.keys.set('alice', NULL_KEY);
  node.clock.pass(10_000);
  assert.equal(findObstacle(node, 'alice'), 'stopped');
  node.keys.delete('alice');
  node.clock.pass(10_000);
  assert.equal(findObstacle(node, 'alice'), undefined);
  node.keys.set('alice', NULL_KEY);
  node.clock.pass(10_000);
  const reasons = node.said.filter((line) => line.startsWith('witness alice makes no blocks'));
  assert.deepEqual(
    reasons.map((line) => (/replaced/.test(line) ? 'replaced' : 'stopped')),
    ['replaced', 'stopped', 'stopped'],
  );
  assert.ok(countMissed(node, 'alice') > 5);
});

test('a key that no witness signs with is said at the start', () => {
  const node = watched(makeProducer(['alice', 'initminer'], ['alice', 'initminer', 'bob']));
  node.clock.pass(MINUTE_MS);
  assert.deepEqual(node.said, [
    `no configured witness signs with the private-key of ${testKeyText('bob')}: remove it, or add its witness`,
  ]);
  assert.equal(node.watch.unusedKeys, 1);
});

test('nobody is told to remove a key that still votes, and one that was replaced stays until its epoch ends', () => {
  const started = watched(makeProducer(['alice', 'initminer'], ['alice', 'initminer', 'bob']), { voters: ['bob'] });
  started.clock.pass(MINUTE_MS);
  assert.deepEqual([started.said, started.watch.unusedKeys], [[], 0]);
  for (const voters of [[], ['alice']]) {
    const node = watched(makeProducer(['alice', 'initminer']), { voters });
    node.clock.pass(MINUTE_MS);
    node.keys.set('alice', testKey('bob'));
    node.clock.pass(MINUTE_MS);
    const line = node.said.find((sentence) => sentence.includes('was replaced')) ?? '';
    assert.equal(/its old key votes on here until the epoch ends/.test(line), voters.length > 0, line);
  }
});

test('slots that pass while the process stands still are counted, and said in one line', () => {
  const node = watched(makeProducer(['alice', 'initminer']));
  node.clock.pass(MINUTE_MS);
  node.clock.stall(30_500);
  node.clock.pass(MINUTE_MS);
  const missed = countMissed(node, 'alice') + countMissed(node, 'initminer');
  assert.ok(missed >= 9 && missed <= 11, `${missed}: ${node.said.join('\n')}`);
  assert.ok(node.said.length <= 4, node.said.join('\n'));
  assert.ok(node.said.some((line) => /missed \d+ slots between .*stood still, or the clock jumped/.test(line)));
  node.said.length = 0;
  node.clock.pass(MINUTE_MS);
  assert.deepEqual(node.said, []);
});

test('who goes on after a pause is not held back by it until the next slot, though the slots stay missed', () => {
  let isPaused = true;
  const node = watched(makeProducer(['alice']), { isPaused: () => isPaused });
  node.clock.pass(MINUTE_MS);
  const missed = countMissed(node, 'alice');
  assert.equal(findObstacle(node, 'alice'), 'paused');
  assert.ok(missed > 5);
  isPaused = false;
  node.watch.resumed();
  assert.equal(findObstacle(node, 'alice'), undefined, 'whoever asks at once hears it');
  node.clock.pass(1);
  node.watch.take({ nowMs: node.clock.nowMs(), slot: { kind: 'not_time_yet' } });
  assert.deepEqual([findObstacle(node, 'alice'), countMissed(node, 'alice')], [undefined, missed]);
});
