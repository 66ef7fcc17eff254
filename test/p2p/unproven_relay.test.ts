import assert from 'node:assert/strict';
import { test } from 'node:test';

import { packBlock } from '../../src/blocks/block.ts';
import { blockId } from '../../src/blocks/header.ts';
import { merkleRoot } from '../../src/blocks/merkle.ts';
import { ArrivingTransactions } from '../../src/p2p/transactions/arriving_transactions.ts';
import { BlockRelay } from '../../src/p2p/blocks/block_relay.ts';
import type { BlockOutcome, HeaderOutcome } from '../../src/p2p/environment/chain_access.ts';
import { block } from '../../src/wire/messages/block.ts';
import { blockAnnouncement } from '../../src/wire/messages/block_announcement.ts';
import { NetworkCounts } from '../../src/p2p/peers/network_counts.ts';
import { TransactionPool } from '../../src/p2p/transactions/transaction_pool.ts';
import { testKey } from '../builders/chain.ts';
import { madeUpId } from '../builders/still_chain.ts';
import { House } from './house.ts';

const HEAD = 1000;
const MIB = 1024 * 1024;

/** A node with two peers, whose chain judges each header as the test says. */
class Relaying {
  readonly house = new House();
  readonly submitted: { readonly id: string; readonly answer: (outcome: BlockOutcome) => void }[] = [];
  readonly relay: BlockRelay;

  constructor(isProven: boolean) {
    const { house } = this;
    const judgement: HeaderOutcome = { kind: 'right', isProven, signer: testKey('bob') };
    const intake = {
      ...house.environment.intake,
      judgeHeader: (_: unknown, answer: (outcome: HeaderOutcome) => void) => answer(judgement),
      submitVerified: ({ id }: { readonly id: string }, _: string, answer: (outcome: BlockOutcome) => void) =>
        void this.submitted.push({ id, answer }),
      verifyTransactions: (_: unknown, answer: (proven: { readonly verified: readonly [] }) => void) =>
        answer({ verified: [] }),
    };
    this.relay = new BlockRelay({
      environment: { ...house.environment, intake },
      live: () => house.joined,
      router: house.router,
      turns: house.turns,
      pool: new TransactionPool(MIB, house.environment.randomSource),
      arriving: new ArrivingTransactions(house.clock, house.environment.randomSource),
      claimed: () => undefined,
      delivered: () => undefined,
      isBehind: () => false,
      takesTransactions: true,
      isTrusted: () => false,
      counts: new NetworkCounts(),
      spend: (_, work) => work(),
    });
    house.pass(9);
    house.chain.head = { ...house.chain.head, number: HEAD, id: madeUpId(HEAD) };
    for (const [index, name] of ['giver', 'other'].entries()) assert.ok(house.comes(name, `2${index}.1.1.1`));
    this.heard('other');
  }

  /** Returns the number of times that a peer was given or told of a block. */
  heard(name: string): number {
    // Each look takes out what was written, so that both kinds are looked for in turn.
    return this.house.heard(name, blockAnnouncement);
  }
}

function emptyBlock(): { readonly id: string; readonly packed: Uint8Array } {
  const header = {
    previous: madeUpId(HEAD),
    timestamp: HEAD * 3 + 3,
    witness: 'bob',
    transaction_merkle_root: merkleRoot([]),
    extensions: [],
    witness_signature: `1f${'11'.repeat(64)}`,
  };
  return { id: blockId(header), packed: packBlock(header, []).packed };
}

for (const isProven of [true, false]) {
  const what = isProven
    ? 'is told of before the chain has applied it'
    : 'is told of only when the chain has applied it';
  test(`${isProven ? 'a proven' : 'an unproven'} block that follows the head ${what}`, () => {
    const relaying = new Relaying(isProven);
    const { house, relay, submitted } = relaying;
    const { id, packed } = emptyBlock();
    house.says('giver', block, packed);
    assert.deepEqual(
      submitted.map((one) => one.id),
      [id],
      'the chain has it',
    );
    assert.equal(relaying.heard('other'), isProven ? 1 : 0);
    submitted[0]?.answer({ kind: 'taken' });
    assert.equal(relaying.heard('other'), 0, 'that the chain keeps it is no reason');
    const head = { ...house.chain.head, number: HEAD + 1, id };
    house.chain.head = head;
    house.environment.view.readParts = (number: number) =>
      number === HEAD + 1 ? { count: 1, part: () => packed } : undefined;
    relay.chainChanged({ undone: [], applied: [id], head });
    assert.equal(relaying.heard('other'), isProven ? 0 : 1, 'each peer hears of it once');
    assert.equal(relaying.heard('giver'), 0, 'who gave it has it');
  });
}
