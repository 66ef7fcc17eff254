import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ByteBudget } from '../../../src/wire/link/byte_budget.ts';
import type { BlockOutcome, SubmissionPlace } from '../../../src/p2p/environment/chain_access.ts';
import { RangeHandover, type RefusedGift } from '../../../src/p2p/sync/range_handover.ts';
import { MessageRouter } from '../../../src/p2p/peers/message_router.ts';
import { NetworkCounts } from '../../../src/p2p/peers/network_counts.ts';
import { usualWorkLimits } from '../../../src/p2p/peers/network_settings.ts';
import { workBudgets } from '../../../src/p2p/peers/peer_credit.ts';
import { Peer } from '../../../src/p2p/peers/peer.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { quietWorld, StillChain } from '../../builders/still_chain.ts';

interface Asked extends SubmissionPlace {
  readonly blocks: number;
  readonly answer: (outcomes: readonly BlockOutcome[]) => void;
}

const taken = (count: number): BlockOutcome[] => Array.from({ length: count }, () => ({ kind: 'taken' }));

/** A chain that answers when the test says so. */
class Giving {
  readonly clock = new HandClock(3_000_000);
  readonly asked: Asked[] = [];
  readonly refused: (RefusedGift | undefined)[] = [];
  readonly peers: readonly Peer[];
  readonly handover: RangeHandover;

  constructor() {
    const quiet = quietWorld(this.clock, new StillChain(900));
    const environment = {
      ...quiet,
      intake: {
        ...quiet.intake,
        submitBlocks: (blocks: readonly Uint8Array[], place: SubmissionPlace, answer: Asked['answer']) =>
          void this.asked.push({ blocks: blocks.length, ...place, answer }),
      },
    };
    this.handover = new RangeHandover(environment);
    this.peers = ['anna', 'bert'].map(
      (name) =>
        new Peer(new HandPipe(makeNodeId(name), false), {
          environment,
          introduction: { agent: 'pharos/1', endpoints: [], takesTransactions: true },
          ownId: makeNodeId('us'),
          budget: new ByteBudget(1024),
          router: new MessageRouter<Peer>(),
          counts: new NetworkCounts(),
          budgets: workBudgets(usualWorkLimits, {}, 0),
          isChosen: false,
          keeper: { greeted: () => true, moved: () => undefined, ban: () => undefined, gone: () => undefined },
        }),
    );
  }

  /** A peer gives so many blocks. */
  gives(who: number, count: number, isLast: boolean): void {
    const peer = this.peers[who] ?? assert.fail();
    const blocks = Array.from({ length: count }, () => new Uint8Array(1));
    this.handover.submit(blocks, [{ peer, count }], { isLast, isVouchedFor: false }, (refused) =>
      this.refused.push(refused),
    );
  }

  answers(outcomes: readonly BlockOutcome[]): void {
    this.asked.at(-1)?.answer(outcomes);
  }
}

test('whoever gave a refused block is found, also when the block waited for those of somebody else', () => {
  const giving = new Giving();
  giving.gives(0, 10, false);
  assert.deepEqual([giving.handover.isBusy, giving.handover.isWaiting], [true, false]);
  giving.answers(taken(4));
  assert.deepEqual([giving.handover.isBusy, giving.handover.isWaiting], [false, true]);
  giving.gives(1, 5, false);
  assert.deepEqual(
    giving.asked.map(({ isFirst, isLast }) => [isFirst, isLast]),
    [
      [true, false],
      [false, false],
    ],
  );
  const wrong: BlockOutcome = { kind: 'refused', fault: 'sender', reason: 'wrong' };
  giving.answers([...taken(5), wrong]);
  assert.deepEqual(giving.refused, [undefined, { peer: giving.peers[0], outcome: wrong }]);
  assert.equal(giving.handover.isWaiting, false, 'what lay behind it is forgotten');
  giving.gives(0, 3, false);
  assert.equal(giving.asked.at(-1)?.isFirst, true);
  giving.answers([]);
  giving.gives(1, 3, true);
  giving.answers([...taken(3), wrong]);
  assert.deepEqual(giving.refused.at(-1), { peer: giving.peers[1], outcome: wrong });
});

test('blocks wait a second for others, which is counted while nothing comes, and not while the chain works', () => {
  const giving = new Giving();
  const { handover, clock } = giving;
  giving.gives(0, 10, false);
  clock.pass(5000);
  giving.answers([]);
  assert.equal(handover.isTired, false, 'the chain was at work');
  clock.pass(600);
  giving.gives(1, 1, false);
  clock.pass(5000);
  giving.answers([]);
  assert.equal(handover.isTired, false);
  clock.pass(600);
  assert.equal(handover.isTired, true, 'twice six tenths');
  giving.gives(1, 1, false);
  giving.answers(taken(2));
  clock.pass(600);
  assert.equal(handover.isTired, false, 'some were taken');
  assert.deepEqual(handover.givers, [giving.peers[0], giving.peers[1], giving.peers[1]]);
  clock.pass(600);
  assert.equal(handover.isTired, true);
  handover.submit([], [], { isLast: true, isVouchedFor: false }, () => undefined);
  giving.answers(taken(10));
  assert.deepEqual([handover.isTired, handover.isWaiting, handover.givers.length], [false, false, 0]);
});
