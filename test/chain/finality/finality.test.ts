import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import type { FinalityAction } from '../../../src/chain/finality/finality_actions.ts';
import {
  genesisBlock,
  keyOfNode,
  ModelChain,
  makeSchedule,
  type ModelBlock,
} from '../../model/finality/machine_blocks.ts';
import {
  certified,
  FIRST_SLOT,
  genesis,
  Hand,
  INTERVAL,
  line,
  next,
  signSubject,
  makeSubject,
  vote,
  whole,
  withFinal,
} from './told_machine.ts';

test('a single voter makes each block final at once, without a network, over the end of its epoch', () => {
  const alone = genesisBlock(makeSchedule(0, [0]));
  const chain = new ModelChain(alone);
  const hand = new Hand({ chain });
  let last = alone;
  for (let number = 1; number <= 10; number++) {
    last = next(last, 0, 0, [0]);
    chain.learn(last);
    chain.choose(undefined, hand.machine.final);
    hand.nowMs = last.slot * INTERVAL;
    hand.act(hand.machine.blockTaken(hand));
    assert.equal(hand.machine.final, number);
  }
});

test('three of four prepares are followed by a commit, and three commits make the block final, with its ancestors', () => {
  const hand = new Hand();
  const [first, second] = line(2);
  hand.take(present(first, 'a block'), present(second, 'a block'));
  assert.deepEqual(hand.signed, ['prepare 1 in 1', 'prepare 2 in 2']);
  const [prepare, commit] = [
    makeSubject(present(second, 'a block'), 'prepare'),
    makeSubject(present(second, 'a block'), 'commit'),
  ];
  hand.hear(vote(1, prepare));
  assert.deepEqual(hand.signed, []);
  hand.hear(vote(2, prepare));
  assert.deepEqual(hand.signed, ['commit 2 in 2']);
  hand.hear(vote(1, commit));
  assert.equal(hand.machine.final, 0);
  hand.hear(vote(3, commit));
  assert.equal(hand.machine.final, 2);
  const [finalised] = hand.took('finalise');
  assert.equal(finalised?.certificate.subject.kind, 'commit');
});

test('a journal is told what to hold with each signature: the last prepare, then the lock with its certificate', () => {
  const hand = new Hand();
  const [block] = line(1);
  hand.take(present(block, 'a block'));
  const [prepared] = hand.took('sign');
  assert.deepEqual(prepared?.record.last_prepare, { epoch: 0, view: 1001, block: block?.id, ...{} });
  hand.hear(vote(1, prepared.subject), vote(2, prepared.subject));
  const [committed] = hand.took('sign');
  assert.deepEqual(committed?.record.lock?.subject, prepared.subject);
  assert.deepEqual(
    committed.record.lock.signatures.map(({ voter }) => voter),
    [0, 1, 2],
  );
});

test('a slot without a block is prepared at its end, and not committed', () => {
  const hand = new Hand();
  hand.take(...line(1));
  hand.done.length = 0;
  hand.nowMs = (FIRST_SLOT + 3) * INTERVAL - 1;
  hand.act(hand.machine.slotEnds(FIRST_SLOT + 2, hand));
  assert.deepEqual(hand.signed, ['prepare 1 in 2']);
  const subject = makeSubject(hand.chain.tip, 'prepare', FIRST_SLOT + 2);
  hand.hear(vote(1, subject), vote(2, subject));
  assert.deepEqual(hand.signed, []);
  assert.deepEqual(
    hand.machine.told.map(({ subject: { view } }) => view),
    [FIRST_SLOT + 2],
  );
  const final = withFinal(...line(1));
  final.nowMs = (FIRST_SLOT + 3) * INTERVAL - 1;
  final.act(final.machine.slotEnds(FIRST_SLOT + 2, final));
  assert.deepEqual(final.signed, [], 'what is final needs no more votes');
});

test('above an epoch the boundary is prepared, and the next epoch begins with its head', () => {
  const hand = new Hand();
  hand.take(...line(6));
  assert.deepEqual(hand.signed.slice(-3), ['prepare 4 in 4', 'prepare 4 in 5', 'prepare 4 in 6']);
  hand.show(certified(makeSubject(present(line(4).at(-1), 'a block'), 'commit', FIRST_SLOT + 6)));
  assert.deepEqual(hand.signed, ['prepare 6 in 6']);
});

test('a node that catches up, or whose clock its peers contradict, signs nothing', () => {
  const late = new Hand();
  late.nowMs = (FIRST_SLOT + 90) * INTERVAL;
  late.take(...line(3));
  assert.deepEqual(late.signed, []);
  const wrong = new Hand();
  Object.assign(wrong, { peersAheadMs: 2500 });
  wrong.take(...line(3));
  assert.deepEqual(wrong.signed, []);
});

test('votes that are forged, late, of other voters or heard already do nothing', () => {
  const hand = new Hand();
  const [block] = line(1);
  const known = present(block, 'a block');
  hand.take(known);
  const subject = makeSubject(known, 'prepare');
  hand.done.length = 0;
  hand.hear({ ...vote(1, subject), voter: 2 });
  hand.hear({ ...vote(1, subject), voter: 4 });
  hand.hear(vote(1, { ...subject, view: FIRST_SLOT - 10 }));
  hand.hear(vote(1, { ...subject, view: FIRST_SLOT + 3 }));
  hand.hear(vote(1, { ...subject, voters: '00'.repeat(32) }));
  assert.deepEqual(hand.done, []);
  hand.hear(vote(1, subject));
  assert.deepEqual(
    hand.took('relay_vote').map(({ vote: { voter } }) => voter),
    [1],
  );
  hand.hear(vote(1, subject));
  assert.deepEqual(hand.done, []);
});

test('a vote of a later epoch has the node ask for the boundary, and a vote far ahead counts for nothing', () => {
  const hand = new Hand();
  hand.take(...line(1));
  hand.done.length = 0;
  const subject = { ...makeSubject(hand.chain.tip, 'prepare'), epoch: 7 };
  hand.hear(vote(1, subject));
  assert.deepEqual(hand.took('fetch_boundary'), [{ do: 'fetch_boundary', epoch: 0 }]);
});

test('votes that contradict each other are shown with both signatures, and both are passed on', () => {
  const hand = new Hand();
  const [one, other] = [next(genesis, 1), next(genesis, 2)];
  hand.take(one);
  hand.done.length = 0;
  hand.hear(vote(1, makeSubject(one, 'prepare')), vote(1, makeSubject(other, 'prepare')));
  const shown = hand.done.filter((action) => action.do !== 'relay_vote');
  assert.deepEqual(shown, [
    { do: 'show_contradiction', votes: [vote(1, makeSubject(one, 'prepare')), vote(1, makeSubject(other, 'prepare'))] },
  ]);
  assert.equal(hand.took('relay_vote').length, 2);
});

test('a certificate that too few have signed, or others, is refused, and one that is known changes nothing', () => {
  const hand = new Hand();
  hand.take(...line(2));
  hand.done.length = 0;
  const subject = makeSubject(hand.chain.tip, 'commit');
  hand.show(certified(subject, [1, 2]));
  hand.show({ ...certified(subject), subject: { ...subject, view: 1003 } });
  hand.show(certified({ ...subject, voters: '00'.repeat(32) }));
  assert.deepEqual(hand.done, []);
  hand.show(certified(subject));
  assert.equal(hand.machine.final, 2);
  hand.done.length = 0;
  hand.show(certified(subject));
  hand.show(certified(makeSubject(present(line(1)[0], 'a block'), 'prepare')));
  assert.deepEqual(hand.done, []);
});

test('the certificate of the highest view is pushed, commit certificates are announced, those of boundaries pushed', () => {
  const hand = new Hand();
  hand.take(...line(4));
  hand.done.length = 0;
  const block = (number: number): ModelBlock => present(line(4)[number - 1], 'a block');
  const sent = (certificate: Certificate): boolean[] => {
    hand.show(certificate);
    return hand.took('send_certificate').map(({ isPushed }) => isPushed);
  };
  assert.deepEqual(sent(certified(makeSubject(block(2), 'prepare'))), [true]);
  assert.deepEqual(sent(certified(makeSubject(block(1), 'prepare'))), []);
  assert.deepEqual(sent(certified(makeSubject(block(2), 'commit'))), [false]);
  assert.deepEqual(sent(certified(makeSubject(block(4), 'prepare'))), [true]);
  assert.deepEqual(sent(certified(makeSubject(block(4), 'commit'))), [true]);
  hand.act(hand.machine.slotBegins(hand));
  assert.deepEqual(
    hand.took('send_certificate').map(({ isPushed }) => isPushed),
    [true],
    'again before the next block',
  );
});

test('a certified branch is followed although it is shorter, and becomes final there', () => {
  const hand = new Hand();
  const long = line(3);
  const short = line(2, genesis, 5);
  hand.take(...long, ...short);
  assert.equal(hand.chain.tip, long.at(-1));
  const tip = present(short.at(-1), 'a block');
  hand.show(certified(makeSubject(tip, 'prepare')));
  assert.equal(hand.chain.tip, long.at(-1), 'the choice is made at the start of a slot');
  hand.act(hand.machine.slotBegins(hand));
  assert.equal(hand.chain.tip, tip);
  hand.show(certified(makeSubject(tip, 'commit')));
  assert.equal(hand.machine.final, 2);
  hand.take(...line(2, present(long.at(-1), 'a block')));
  assert.equal(hand.chain.tip, tip, 'no longer branch undoes what is final');
});

test('a commit certificate of another branch is followed at once', () => {
  const hand = new Hand();
  const short = line(1, genesis, 5);
  hand.take(...line(3), ...short);
  hand.show(certified(makeSubject(present(short[0], 'a block'), 'commit')));
  assert.equal(hand.chain.tip, short[0]);
  assert.equal(hand.machine.final, 1);
});

test('a switch that fails is ordered again when the next slot begins, and not before', () => {
  const hand = new Hand();
  const [short] = line(1, genesis, 5);
  const block = present(short, 'a block');
  hand.take(...line(3), block);
  const orders = (actions: readonly FinalityAction[]): number =>
    actions.filter((action) => action.do === 'switch').length;
  assert.equal(orders(hand.machine.certificateArrived(certified(makeSubject(block, 'commit')), hand)), 1);
  assert.equal(orders(hand.machine.blockTaken(hand)), 0);
  assert.equal(orders(hand.machine.slotBegins(hand)), 1);
  assert.equal(orders(hand.machine.blockTaken(hand)), 0);
});

test('a certificate of a block that is not here has it fetched, again in each slot, and counts when it is taken', () => {
  const hand = new Hand();
  hand.take(...line(3));
  hand.done.length = 0;
  const [missing] = line(1, genesis, 5);
  const block = present(missing, 'a block');
  hand.show(certified(makeSubject(block, 'commit')));
  assert.deepEqual(hand.took('fetch'), [{ do: 'fetch', block: block.id }]);
  hand.act(hand.machine.slotBegins(hand));
  assert.deepEqual(hand.took('fetch'), [{ do: 'fetch', block: block.id }]);
  hand.take(block);
  assert.equal(hand.chain.tip, block);
  assert.equal(hand.machine.final, 1);
});

test('a voter that judges a block leaves out certificates that came too late for it, and any other node does not', () => {
  for (const [record, isLeftOut] of [
    [[{ key: keyOfNode(0), record: whole }], true],
    [[], false],
  ] as const) {
    const hand = new Hand({ voters: record });
    const [own] = line(1);
    const [other] = line(1, genesis, 5);
    hand.take(present(own, 'a block'), present(other, 'a block'));
    hand.nowMs = (FIRST_SLOT + 2) * INTERVAL - 999;
    hand.show(certified(makeSubject(present(other, 'a block'), 'prepare')));
    const onOwn = next(present(own, 'a block'));
    const onOther = next(present(other, 'a block'), 5);
    const judged = (block: ModelBlock): string | undefined =>
      hand.machine.certifiedBlock({ id: block.id, previous: present(block.parent, 'a parent').id, slot: block.slot });
    assert.equal(judged(onOwn), isLeftOut ? undefined : other?.id);
    assert.equal(judged(onOther), other?.id, 'the block descends from it');
    assert.equal(hand.machine.certifiedBlock(), other?.id, 'at the start of a slot all count');
    assert.equal(judged({ ...onOwn, slot: onOwn.slot + 1 }), other?.id, 'the slot after');
  }
});

test('certificates that contradict each other, or what is final, stop the node, which votes no more', () => {
  const one = line(2);
  const other = line(2, genesis, 5);
  const tip = present(other.at(-1), 'a block');
  const cases: [string, (hand: Hand) => Certificate[]][] = [
    [
      'two blocks of one view',
      () => [certified(makeSubject(present(one[1], 'a block'), 'prepare')), certified(makeSubject(tip, 'prepare'))],
    ],
    [
      'two final blocks',
      () => [certified(makeSubject(present(one[1], 'a block'), 'commit')), certified(makeSubject(tip, 'commit', 1003))],
    ],
    ['a final block of an earlier epoch', () => [certified(makeSubject(tip, 'commit', 1003))]],
  ];
  for (const [name, certificates] of cases) {
    const hand = name.includes('earlier') ? withFinal(...line(4)) : new Hand();
    if (!name.includes('earlier')) hand.take(...one);
    hand.take(...other);
    hand.done.length = 0;
    for (const certificate of certificates(hand)) hand.show(certificate);
    assert.equal(hand.took('stop').length, 1, name);
    hand.take(next(hand.chain.tip), next(next(hand.chain.tip)));
    assert.deepEqual(hand.signed, [], name);
  }
});

test('a later epoch is believed when more than a third of the current voters take part, and else the boundary is asked for', () => {
  const blocks = [...line(3)];
  const strangers = next(present(blocks.at(-1), 'a block'), 0, 0, [4, 5, 6, 7]);
  const mixed = next(present(blocks.at(-1), 'a block'), 0, 0, [2, 3, 6, 7]);
  for (const [boundary, nodes, isBelieved] of [
    [strangers, [4, 5, 6], false],
    [mixed, [2, 3, 6], true],
  ] as const) {
    const hand = new Hand();
    const above = next(boundary);
    hand.take(...blocks, boundary, above);
    hand.done.length = 0;
    const subject = makeSubject(above, 'commit');
    const signatures = nodes.map((node) => ({
      voter: boundary.schedule.voters.keys.indexOf(keyOfNode(node)),
      signature: signSubject(node, subject),
    }));
    hand.show({ subject, signatures });
    assert.equal(hand.machine.final, isBelieved ? 5 : 0);
    assert.equal(hand.took('fetch_boundary').length, isBelieved ? 0 : 1);
  }
});

test('a vote by its own key that its journal does not hold stops a voter; one from before its start makes the journal a lost one', () => {
  const stopped = new Hand();
  stopped.take(...line(2));
  const foreign = makeSubject(stopped.chain.tip, 'prepare', FIRST_SLOT + 3);
  stopped.nowMs = (FIRST_SLOT + 3) * INTERVAL;
  stopped.done.length = 0;
  stopped.hear(vote(0, foreign));
  assert.deepEqual(
    stopped.took('stop_voter').map(({ key }) => key),
    [keyOfNode(0)],
  );
  stopped.take(...line(3).slice(2));
  assert.deepEqual(stopped.signed, []);

  const older = new Hand({ started: FIRST_SLOT + 5 });
  older.nowMs = (FIRST_SLOT + 5) * INTERVAL;
  older.hear(vote(0, makeSubject(present(line(1)[0], 'a block'), 'prepare')));
  const [recorded] = older.took('record');
  assert.deepEqual(recorded?.record, { ...whole, begun: FIRST_SLOT + 5, signed_first_block: false });
  older.take(...line(6));
  assert.deepEqual(older.signed, []);
});

test("a vote of its own that comes back over others is nobody else's", () => {
  const hand = new Hand();
  hand.take(...line(2));
  hand.hear(vote(0, makeSubject(hand.chain.tip, 'prepare')));
  const restarted = new Hand({
    voters: [
      {
        key: keyOfNode(0),
        record: { ...whole, last_prepare: { epoch: 0, view: FIRST_SLOT + 2, block: hand.chain.tip.id } },
      },
    ],
    started: FIRST_SLOT,
  });
  restarted.take(...line(2));
  restarted.hear(
    vote(0, makeSubject(hand.chain.tip, 'prepare')),
    vote(0, makeSubject(present(line(1)[0], 'a block'), 'prepare')),
  );
  for (const each of [hand, restarted])
    assert.deepEqual(
      each.done.filter(({ do: what }) => what === 'stop_voter' || what === 'record'),
      [],
    );
});

test('a new connection is told the certificates of the final block, of the lock and of the highest view', () => {
  const hand = new Hand();
  const blocks = line(3);
  const at = (number: number): ModelBlock => present(blocks[number - 1], 'a block');
  hand.take(at(1));
  const prepare = makeSubject(at(1), 'prepare');
  hand.hear(vote(1, prepare), vote(2, prepare));
  hand.show(certified(makeSubject(at(1), 'commit')));
  hand.take(at(2), at(3));
  hand.show(certified(makeSubject(at(3), 'prepare', FIRST_SLOT + 3), [0, 1, 2]));
  assert.deepEqual(
    hand.machine.told.map(({ subject: { kind, block } }) => `${kind} ${Number.parseInt(block.slice(0, 8), 16)}`),
    ['commit 1', 'prepare 3'],
  );
  const lock = certified(makeSubject(at(2), 'prepare'));
  const locked = new Hand({ voters: [{ key: keyOfNode(0), record: { ...whole, lock } }] });
  assert.deepEqual(locked.machine.told, [lock]);
});

test('people end an epoch that stands still, and vouch for that of imported blocks; an earlier one they can not', () => {
  const still = new Hand();
  still.take(...line(6));
  still.done.length = 0;
  still.act(still.machine.trust(4, still));
  assert.equal(still.machine.final, 4);
  assert.deepEqual(still.signed, ['prepare 6 in 6']);
  const chain = new ModelChain(genesis);
  for (const block of line(9)) chain.learn(block);
  chain.choose(undefined, 0);
  const imported = new Hand({ chain, settled: 9 });
  imported.nowMs = (FIRST_SLOT + 9) * INTERVAL;
  imported.act(imported.machine.trust(4, imported));
  assert.deepEqual([imported.machine.final, imported.signed], [0, []]);
  imported.act(imported.machine.trust(8, imported));
  assert.deepEqual([imported.machine.final, imported.signed], [8, ['prepare 9 in 9']]);
});

test('a node with several keys votes with each that the epoch has', () => {
  const voters = [0, 1, 9].map((node) => ({ key: keyOfNode(node), record: whole }));
  const hand = new Hand({ voters });
  const [block] = line(1);
  hand.chain.learn(present(block, 'a block'));
  hand.chain.choose(undefined, 0);
  hand.nowMs = present(block, 'a block').slot * INTERVAL;
  assert.deepEqual(
    hand.machine.blockTaken(hand).map((action) => (action.do === 'sign' ? action.voter : action.do)),
    [0, 1],
  );
});
