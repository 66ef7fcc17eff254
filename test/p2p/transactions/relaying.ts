import assert from 'node:assert/strict';

import { present } from '../../../src/base/assert.ts';
import { sha256Hex } from '../../../src/crypto/hashes.ts';
import { ArrivingTransactions } from '../../../src/p2p/transactions/arriving_transactions.ts';
import type { SentTransactions, TransactionOutcome } from '../../../src/p2p/environment/chain_access.ts';
import { encodeFrame, HEADER_BYTES, SENT_PAYLOAD_BYTES } from '../../../src/wire/link/frame.ts';
import { bundle, type BundledTransaction } from '../../../src/wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../../src/wire/messages/bundle_announcement.ts';
import { bundleRequest } from '../../../src/wire/messages/bundle_request.ts';
import { messageNumber } from '../../../src/wire/messages/index.ts';
import { NetworkCounts } from '../../../src/p2p/peers/network_counts.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { TransactionRelay } from '../../../src/p2p/transactions/transaction_relay.ts';
import { testKey } from '../../builders/chain.ts';
import { makeNodeId } from '../../builders/pipes.ts';
import { House } from '../house.ts';

const MIB = 1024 * 1024;
const ID_DIGITS = 32;
/** The largest transactions, and how many of them fit into a bundle. */
export const [LARGE_BYTES, IN_BUNDLE] = [8000, 30];

/** A node whose chain answers for every transaction what the test says, or nothing for a long time. */
export class Relaying {
  readonly house: House;
  readonly relay: TransactionRelay;
  outcome: TransactionOutcome['outcome'] | undefined;
  submitted = 0;
  isBehind = false;

  /**
   * Of a giver that the operator has named as much is read as comes: then the credit of bundles is all that holds it
   * up.
   */
  constructor({ isNamed = true } = {}) {
    this.house = new House(isNamed ? { seeds: [{ host: '99.1.1.1', port: 1, id: makeNodeId('giver') }] } : {});
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
      pool: new TransactionPool(64 * MIB, house.environment.randomSource),
      arriving: new ArrivingTransactions(house.clock, house.environment.randomSource),
      isBehind: () => this.isBehind,
      takesTransactions: true,
      counts: new NetworkCounts(),
      poolBytes: MIB,
    });
    house.pass(1);
    assert.ok(house.comes('giver', '21.1.1.1'));
  }

  /** The ids that the giver is asked for since this was last called. */
  asked(): string[] {
    const bytes = Buffer.from(present(this.house.pipes.get(makeNodeId('giver')), 'the giver').take());
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
    this.announces(bundles);
    return this.giveAsked(bundles);
  }

  announces(bundles: ReadonlyMap<string, Announced>): void {
    const all = [...bundles];
    for (let start = 0; start < all.length; start += 64)
      this.house.says('giver', bundleAnnouncement, {
        bundles: all.slice(start, start + 64).map(([id, { bytes }]) => ({ id, transactions: IN_BUNDLE, bytes })),
      });
  }

  /** The giver sends a bundle, asked for or not. */
  gives(transactions: readonly BundledTransaction[]): void {
    const bytes = bundle.encode(transactions);
    const { listener } = present(this.house.pipes.get(makeNodeId('giver')), 'the giver');
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

export interface Announced {
  readonly transactions: readonly BundledTransaction[];
  readonly bytes: number;
}

let made = 0;

export function largeTransaction(bytes: number): BundledTransaction {
  const packed = Buffer.alloc(bytes, 'x');
  packed.writeUInt32LE(made++);
  return { key: testKey('alice'), packed, unsignedBytes: bytes - 65 };
}

/** So many bundles of the largest size, by their ids. */
export function largeBundles(count: number): Map<string, Announced> {
  return new Map(
    Array.from({ length: count }, () => {
      const transactions = Array.from({ length: IN_BUNDLE }, () => largeTransaction(LARGE_BYTES));
      const bytes = bundle.encode(transactions);
      return [sha256Hex(bytes).slice(0, ID_DIGITS), { transactions, bytes: bytes.length }];
    }),
  );
}
