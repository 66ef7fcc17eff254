import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { ArrivingTransactions } from '../../src/p2p/transactions/arriving_transactions.ts';
import type { SentTransactions, TransactionOutcome } from '../../src/p2p/environment/chain_access.ts';
import { encodeFrame, HEADER_BYTES, SENT_PAYLOAD_BYTES } from '../../src/wire/link/frame.ts';
import { bundle, type BundledTransaction } from '../../src/wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../src/wire/messages/bundle_announcement.ts';
import { bundleRequest } from '../../src/wire/messages/bundle_request.ts';
import { messageNumber } from '../../src/wire/messages/index.ts';
import { NetworkCounts } from '../../src/p2p/peers/network_counts.ts';
import { TransactionPool } from '../../src/p2p/transactions/transaction_pool.ts';
import { TransactionRelay } from '../../src/p2p/transactions/transaction_relay.ts';
import { keyOf } from '../builders/chain.ts';
import { nodeIdOf } from '../builders/pipes.ts';
import { House } from './house.ts';

const MIB = 1024 * 1024;
const ID_DIGITS = 32;
/** The largest transactions, and how many of them fit into a bundle. */
const [LARGE_BYTES, IN_BUNDLE] = [8000, 30];
/** Two MiB a second, four seconds deep, and one bundle that was begun with what was left. */
const [AT_ONCE, A_SECOND, LAST] = [8 * MIB, 2 * MIB, 256 * 1024];

/** A node whose chain answers for every transaction what the test says, or nothing for a long time. */
class Relaying {
  readonly house: House;
  readonly relay: TransactionRelay;
  outcome: TransactionOutcome['outcome'] | undefined;
  submitted = 0;

  /**
   * Of a giver that the operator has named as much is read as comes: then the credit of bundles is all that holds it
   * up.
   */
  constructor({ isNamed = true } = {}) {
    this.house = new House(isNamed ? { seeds: [{ host: '99.1.1.1', port: 1, id: nodeIdOf('giver') }] } : {});
    const { house } = this;
    const submitTransactions = (
      { transactions }: SentTransactions,
      done: (outcomes: readonly TransactionOutcome[]) => void,
    ): void => {
      this.submitted += transactions.length;
      const { outcome } = this;
      if (outcome !== undefined) done(transactions.map(() => ({ outcome, isHintRight: true })));
    };
    this.relay = new TransactionRelay({
      environment: { ...house.environment, intake: { ...house.environment.intake, submitTransactions } },
      live: () => house.joined,
      router: house.router,
      turns: house.turns,
      pool: new TransactionPool(64 * MIB),
      arriving: new ArrivingTransactions(house.clock),
      isBehind: () => false,
      takesTransactions: true,
      counts: new NetworkCounts(),
      poolBytes: MIB,
    });
    house.pass(1);
    assert.ok(house.comes('giver', '21.1.1.1'));
  }

  /** The ids that the giver is asked for since this was last called. */
  asked(): string[] {
    const bytes = Buffer.from(present(this.house.pipes.get(nodeIdOf('giver')), 'the giver').take());
    const ids: string[] = [];
    for (let at = 0; at < bytes.length; at += HEADER_BYTES + bytes.readUInt32LE(at))
      if (bytes[at + 4] === messageNumber(bundleRequest))
        ids.push(
          ...bundleRequest.decode(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + bytes.readUInt32LE(at))).ids,
        );
    return ids;
  }

  /** Announces bundles and gives each that it is asked for, until nothing more is asked; how many bytes that were. */
  announce(bundles: ReadonlyMap<string, Announced>): number {
    const all = [...bundles];
    for (let start = 0; start < all.length; start += 64)
      this.house.says('giver', bundleAnnouncement, {
        bundles: all.slice(start, start + 64).map(([id, { bytes }]) => ({ id, transactions: IN_BUNDLE, bytes })),
      });
    return this.giveAsked(bundles);
  }

  /** The giver sends a bundle, asked for or not. */
  gives(transactions: readonly BundledTransaction[]): void {
    const bytes = bundle.encode(transactions);
    const { listener } = present(this.house.pipes.get(nodeIdOf('giver')), 'the giver');
    for (let at = 0; at < bytes.length; at += SENT_PAYLOAD_BYTES) {
      const goesOn = at + SENT_PAYLOAD_BYTES < bytes.length;
      listener?.received(
        encodeFrame(messageNumber(bundle), bundle.lane, bytes.subarray(at, at + SENT_PAYLOAD_BYTES), goesOn),
      );
    }
  }

  giveAsked(bundles: ReadonlyMap<string, Announced>): number {
    let given = 0;
    for (let ids = this.asked(); ids.length > 0; ids = this.asked())
      for (const id of ids) {
        const { transactions, bytes } = present(bundles.get(id), 'a bundle');
        given += bytes;
        this.gives(transactions);
      }
    return given;
  }
}

interface Announced {
  readonly transactions: readonly BundledTransaction[];
  readonly bytes: number;
}

let made = 0;

function transactionOf(bytes: number): BundledTransaction {
  const packed = Buffer.alloc(bytes, 'x');
  packed.writeUInt32LE(made++);
  return { key: keyOf('alice'), packed, unsignedBytes: bytes - 65 };
}

/** So many bundles of the largest size, by their ids. */
function largeBundles(count: number): Map<string, Announced> {
  return new Map(
    Array.from({ length: count }, () => {
      const transactions = Array.from({ length: IN_BUNDLE }, () => transactionOf(LARGE_BYTES));
      const bytes = bundle.encode(transactions);
      return [sha256Hex(bytes).slice(0, ID_DIGITS), { transactions, bytes: bytes.length }];
    }),
  );
}

test('of bundles that a peer announces no more are asked for than it has credit for, and the rest at the pace of the credit', () => {
  const relaying = new Relaying();
  const bundles = largeBundles(60);
  const atOnce = relaying.announce(bundles);
  assert.ok(atOnce > AT_ONCE - LAST && atOnce <= AT_ONCE, `${atOnce} bytes at once`);
  let later = 0;
  for (let second = 0; second < 2; second++) {
    relaying.house.clock.pass(1000);
    relaying.relay.tick();
    later += relaying.giveAsked(bundles);
  }
  assert.ok(later > 2 * A_SECOND - 2 * LAST && later <= 2 * A_SECOND + LAST, `${later} bytes in two seconds`);
});

test('bundles that the chain accepts cost nothing: as many come as there are', () => {
  const relaying = new Relaying();
  relaying.outcome = 'accepted';
  const bundles = largeBundles(60);
  const given = relaying.announce(bundles);
  assert.equal(relaying.submitted, 60 * IN_BUNDLE);
  assert.ok(given > 1.5 * AT_ONCE);
});

test('bundles that come unasked have the same credit, and what is longer than announced costs what it is', () => {
  const relaying = new Relaying();
  for (let count = 0; count < 60; count++) relaying.gives([...largeBundles(1).values()][0]?.transactions ?? []);
  assert.ok(relaying.submitted * LARGE_BYTES <= AT_ONCE, `${relaying.submitted} transactions are looked at`);
  assert.ok(relaying.submitted * LARGE_BYTES > AT_ONCE - LAST);

  const liar = new Relaying();
  const bundles = largeBundles(60);
  // A hundredth is announced.
  const small = new Map(
    [...bundles].map(([id, { transactions, bytes }]) => [id, { transactions, bytes: Math.trunc(bytes / 100) }]),
  );
  liar.announce(small);
  liar.house.clock.pass(100);
  liar.relay.tick();
  liar.giveAsked(small);
  assert.ok(liar.submitted * LARGE_BYTES <= AT_ONCE + MIB, `${liar.submitted} transactions are looked at`);
});

test('who brings transactions that the chain refuses brings and is asked for no more until their price is worked off', () => {
  const relaying = new Relaying({ isNamed: false });
  relaying.outcome = 'refused';
  const push = (count: number): number => {
    const before = relaying.submitted;
    for (let index = 0; index < count; index++) relaying.gives([transactionOf(200)]);
    return relaying.submitted - before;
  };
  // Half a second's worth of 20 ms a second at 0.1 ms each.
  const atOnce = push(400);
  assert.ok(atOnce >= 100 && atOnce <= 102, `${atOnce} at once`);
  assert.equal(relaying.announce(largeBundles(1)), 0, 'nor is what it announces asked for');
  relaying.house.clock.pass(1000);
  const later = push(400);
  assert.ok(later >= 98 && later <= 202, `${later} a second later`);
});
