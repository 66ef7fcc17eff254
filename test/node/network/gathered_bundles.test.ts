import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FrontIntake } from '../../../src/node/network/front_intake.ts';
import type { FromNetwork, ToNetwork } from '../../../src/node/network/network_messages.ts';
import { OUTCOME, WRONG_HINT } from '../../../src/verifiers/bundle_outcomes.ts';
import type { TransactionOutcome } from '../../../src/p2p/environment/chain_access.ts';
import { packIds } from '../../../src/p2p/transactions/id_table.ts';
import { bundle, type BundledTransaction } from '../../../src/wire/messages/bundle.ts';
import { testKey } from '../../builders/chain.ts';
import { directPorts } from '../../../src/system/direct_ports.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { makeNodeId } from '../../builders/pipes.ts';

const makeId = (number: number): string => number.toString(16).padStart(40, '0');

function transaction(number: number): BundledTransaction {
  return { key: testKey('alice'), unsignedBytes: 1, packed: Uint8Array.of(number & 0xff, number >> 8) };
}

/** The way of bundles to the front, which this test is. */
class Way {
  readonly clock = new HandClock(1000);
  /** Each message to the front: of each of its bundles who has sent it and how many are in it. */
  readonly left: (readonly (readonly [string, number])[])[] = [];
  readonly messages: Uint8Array[] = [];
  readonly outcomes: (readonly TransactionOutcome[])[] = [];
  readonly #intake: FrontIntake;
  readonly #numbers: number[] = [];
  #sent = 0;

  constructor() {
    const [near, far] = directPorts<ToNetwork, FromNetwork>();
    this.#intake = new FrontIntake(near, { clock: this.clock, randomSource: new RandomSource(1) });
    far.listen((message) => {
      if (message.kind !== 'ask' || !('sent' in message.question)) return;
      this.#numbers.push(message.ticket);
      this.messages.push(...message.question.sent.map(({ bundle: bytes }) => bytes));
      this.left.push(message.question.sent.map(({ from, bundle: bytes }) => [from, bundle.decode(bytes).length]));
    });
  }

  /** A bundle of so many comes. */
  come(count: number, from = makeNodeId('them'), message?: Uint8Array): void {
    const numbers = Array.from({ length: count }, () => this.#sent++);
    this.#intake.submitTransactions(
      {
        from,
        transactions: numbers.map(transaction),
        ids: packIds(numbers.map((number) => ({ id: makeId(number) }))),
        message,
      },
      (outcomes) => this.outcomes.push(outcomes),
    );
  }

  /** True when the transaction that is accepted now came from a peer. */
  isFromPeer(number: number): boolean {
    return this.#intake.takeFromPeer(packIds([{ id: makeId(number) }]), 0);
  }

  /** The front answers what it was asked last: for each bundle the outcomes of its transactions. */
  answer(...outcomes: readonly (readonly number[])[]): void {
    this.#intake.take({
      kind: 'answer',
      to: 'transactions',
      ticket: this.#numbers.at(-1) ?? 0,
      value: outcomes.map((some) => Uint8Array.from(some)),
    });
  }

  get sizes(): number[][] {
    return this.left.map((some) => some.map(([, count]) => count));
  }
}

test('a bundle that comes after a pause leaves at once, those that come soon after leave together a tenth of a second later', () => {
  const way = new Way();
  way.come(3);
  assert.deepEqual(way.sizes, [[3]]);
  way.clock.pass(20);
  way.come(4);
  way.clock.pass(20);
  way.come(5);
  way.clock.pass(59);
  assert.deepEqual(way.sizes, [[3]]);
  way.clock.pass(1);
  assert.deepEqual(way.sizes, [[3], [4, 5]]);
  way.clock.pass(100);
  way.come(6);
  assert.deepEqual(way.sizes, [[3], [4, 5], [6]]);
});

test('the message of a bundle that came as a whole is sent as it is, and the network keeps it', () => {
  const way = new Way();
  const transactions = [transaction(1), transaction(2)];
  const message = bundle.encode(transactions);
  way.come(2, makeNodeId('them'), message);
  const [sent] = way.messages;
  assert.deepEqual(sent, message);
  assert.notEqual(sent.buffer, message.buffer, 'what is sent is moved to another thread');
});

test('as many as are cheapest proved together wait for nobody', () => {
  const way = new Way();
  way.come(1);
  for (const count of [100, 100, 56, 1]) way.come(count);
  assert.deepEqual(way.sizes, [[1], [100, 100, 56]]);
  way.clock.pass(100);
  assert.deepEqual(way.sizes, [[1], [100, 100, 56], [1]]);
});

test('of bundles that left together each has its own answer, and what its sender has done', () => {
  const way = new Way();
  const [one, other] = [makeNodeId('one'), makeNodeId('other')];
  way.come(1, one);
  way.answer([OUTCOME.accepted]);
  way.come(2, one);
  way.come(4, other);
  way.clock.pass(100);
  assert.deepEqual(way.left.at(-1), [
    [one, 2],
    [other, 4],
  ]);
  way.answer(
    [OUTCOME.refused, OUTCOME.accepted | WRONG_HINT],
    [OUTCOME.accepted, OUTCOME.known, OUTCOME.forged, OUTCOME.refused | WRONG_HINT],
  );
  assert.deepEqual(way.outcomes, [
    [{ outcome: 'accepted', isHintRight: true }],
    [
      { outcome: 'refused', isHintRight: true },
      { outcome: 'accepted', isHintRight: false },
    ],
    [
      { outcome: 'accepted', isHintRight: true },
      { outcome: 'known', isHintRight: true },
      { outcome: 'forged', isHintRight: true },
      { outcome: 'refused', isHintRight: false },
    ],
  ]);
});

test('what is accepted is known as a peer’s whether that is told before the verdict or behind it, and only once', () => {
  const way = new Way();
  way.come(3);
  assert.equal(way.isFromPeer(0), true);
  way.answer([OUTCOME.accepted, OUTCOME.accepted, OUTCOME.refused]);
  assert.deepEqual(
    [0, 1, 2].map((number) => way.isFromPeer(number)),
    [false, true, false],
  );
});
