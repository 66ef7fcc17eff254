import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Standby, type KeptStandby, type PeersInStep, type StandbyOptions } from '../../src/witness/standby.ts';
import { testKey } from '../builders/chain.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { packedSwitch, switchTerms } from '../builders/key_switch.ts';

const CHAIN = 'ab'.repeat(32);
const START = 1_600_000_000 - (1_600_000_000 % 3);
const HOUR = 3600;
const IN_STEP: PeersInStep = { inStep: ['p1', 'p2', 'p3'], isBehind: false };
const ROUND = 5;

/** A standby of alice, who signs with bob's key; the standby has carol's. Every fifth slot is alice's. */
class Stage {
  readonly clock = new HandClock(START * 1000);
  readonly sent: string[] = [];
  readonly said: string[] = [];
  readonly view = {
    headNumber: 1000,
    headTime: START,
    roundSlots: ROUND,
    irreversible: 990,
    participation: 10_000,
    key: testKey('bob') as string | undefined,
    missed: 7,
    lastBlock: 1000,
    signingKeyOf: () => this.view.key,
    witnessRecord: () =>
      this.view.key === undefined ? undefined : { missed: this.view.missed, lastBlock: this.view.lastBlock },
  };
  kept: KeptStandby | undefined;
  refused: string | undefined;
  standby: Standby;
  readonly #options: Partial<StandbyOptions>;

  constructor(options: Partial<StandbyOptions> = {}) {
    this.#options = options;
    this.standby = this.start();
    this.standby.takePeers(IN_STEP);
  }

  start(): Standby {
    this.standby = new Standby({
      ...{ witness: 'alice', chain: CHAIN, intervalSeconds: 3, keyPrefix: 'PHR', view: this.view, clock: this.clock },
      ...{ keys: new Set([testKey('carol')]), pinned: [], kept: this.kept },
      keep: (kept) => (this.kept = kept),
      send: ({ id }) => (this.sent.push(id), this.refused),
      warn: (sentence) => this.said.push(sentence),
      note: (sentence) => this.said.push(sentence),
      ...this.#options,
    });
    return this.standby;
  }

  give(from = 'active', signer = 'bob', terms = switchTerms('bob', 'carol', this.view.headTime + HOUR)): void {
    this.standby.take(from, packedSwitch(CHAIN, terms, signer));
    this.standby.look();
  }

  /** Slots of a round, of which alice's and some others are missed or not. */
  rounds(count: number, { alice = true, mostOthers = true, blocks = true } = {}): void {
    for (let slot = 0; slot < count * ROUND; slot++) {
      this.clock.pass(3000);
      if (!blocks) this.standby.look();
      else this.#slot(slot % ROUND === 0 ? alice : mostOthers || slot % 2 === 0, slot % ROUND === 0);
    }
  }

  #slot(isMade: boolean, isAlices: boolean): void {
    this.view.headTime += 3;
    if (isMade) this.view.headNumber++;
    if (isMade && isAlices) this.view.lastBlock = this.view.headNumber;
    if (!isMade && isAlices) this.view.missed++;
    this.standby.look();
  }

  get obstacle(): string | undefined {
    return this.standby.report().obstacle;
  }
}

test('a standby with a switch takes over at the second missed slot in a row, once, and says so', () => {
  const stage = new Stage();
  assert.equal(stage.obstacle, 'no_switch');
  stage.give();
  stage.rounds(3);
  assert.equal(stage.obstacle, undefined);
  stage.rounds(1, { alice: false });
  stage.rounds(1);
  stage.rounds(1, { alice: false });
  assert.deepEqual(stage.sent, [], 'a slot is missed now and then');
  stage.rounds(1, { alice: false });
  assert.equal(stage.sent.length, 1);
  assert.match(
    stage.said.join('\n'),
    /standing by for witness alice with PHR[^]*has missed 2 slots in a row: this standby takes over/,
  );
  stage.view.key = testKey('carol');
  stage.rounds(1);
  assert.deepEqual([stage.standby.hasTakenOver, stage.obstacle, stage.sent.length], [true, undefined, 1]);
});

test('what no witness has signed for this standby is no switch', () => {
  const bad: [string, ReturnType<typeof switchTerms>][] = [
    ['dave', switchTerms('bob', 'carol', START + HOUR)],
    ['bob', switchTerms('bob', 'erin', START + HOUR)],
    ['bob', { ...switchTerms('bob', 'carol', START + HOUR), owner: 'bob' }],
    ['bob', switchTerms('bob', 'carol', START)],
    ['dave', switchTerms('dave', 'carol', START + HOUR)],
  ];
  for (const [signer, terms] of bad) {
    const stage = new Stage();
    stage.give('liar', signer, terms);
    stage.rounds(3, { alice: false });
    assert.deepEqual([stage.obstacle, stage.sent], ['no_switch', []]);
  }
  const other = new Stage();
  other.standby.take('liar', packedSwitch('cd'.repeat(32), switchTerms('bob', 'carol', START + HOUR), 'bob'));
  other.standby.take('liar', Buffer.from('nonsense'));
  assert.equal(other.obstacle, 'no_switch', 'of another chain, or nothing at all');
});

test('it holds the newest switch, and one that came before the chain did', () => {
  const stage = new Stage();
  stage.give('active', 'bob', switchTerms('bob', 'carol', START + HOUR));
  stage.give('liar', 'bob', switchTerms('bob', 'carol', START + HOUR - 60));
  assert.equal(stage.standby.report().expires, START + HOUR);
  stage.give('active', 'dave', switchTerms('dave', 'carol', START + HOUR + 60));
  assert.equal(stage.standby.report().expires, START + HOUR, 'the chain says bob');
  stage.view.key = testKey('dave');
  stage.rounds(1);
  assert.deepEqual([stage.standby.report().expires, stage.obstacle], [START + HOUR + 60, undefined]);
});

test('it takes over only where others go on: enough peers, enough slots, new blocks, and a switch that is still good', () => {
  const cases: [string, (stage: Stage) => void, Parameters<Stage['rounds']>[1]][] = [
    ['too_few_peers', (stage) => stage.standby.takePeers({ inStep: ['p1', 'p2', 'active'], isBehind: false }), {}],
    ['behind', (stage) => stage.standby.takePeers({ ...IN_STEP, isBehind: true }), {}],
    ['low_participation', (stage) => (stage.view.participation = 6699), {}],
    ['low_participation', () => undefined, { mostOthers: false }],
    ['no_blocks', () => undefined, { blocks: false }],
    ['switch_expired', (stage) => ((stage.view.headTime += HOUR), stage.clock.pass(HOUR * 1000)), {}],
    ['unknown_witness', (stage) => (stage.view.key = undefined), {}],
  ];
  for (const [obstacle, happens, slots] of cases) {
    const stage = new Stage();
    stage.give();
    happens(stage);
    stage.rounds(3, { alice: false, ...slots });
    assert.deepEqual([stage.obstacle, stage.sent], [obstacle, []]);
    assert.match(stage.said.at(-1) ?? '', /^this standby/);
  }
});

test('of fewer than three nodes that are named all must have its head, but not the one that is stood by for', () => {
  const stage = new Stage({ pinned: ['p1', 'p2', 'active'] });
  stage.give();
  stage.standby.takePeers({ inStep: ['p2', 'p7', 'p8', 'p9'], isBehind: false });
  assert.equal(stage.obstacle, 'too_few_peers');
  stage.standby.takePeers({ inStep: ['p1', 'p2'], isBehind: false });
  stage.rounds(3, { alice: false });
  assert.equal(stage.sent.length, 1);
});

test('a switch that is in no block is sent again, and none within an hour of the last', () => {
  const stage = new Stage();
  stage.refused = 'of no reason';
  stage.give();
  stage.rounds(8, { alice: false });
  assert.ok(stage.sent.length >= 3, `${stage.sent.length} times`);
  assert.equal(new Set(stage.sent).size, 1);
  assert.match(stage.said.join('\n'), /is refused: of no reason/);
  // Another standby was faster.
  stage.view.key = testKey('dave');
  stage.rounds(1);
  const { length } = stage.sent;
  stage.give('dave', 'dave', switchTerms('dave', 'carol', stage.view.headTime + HOUR));
  stage.rounds(10, { alice: false });
  assert.deepEqual([stage.obstacle, stage.sent.length], ['switched_lately', length]);
  stage.rounds(HOUR / 3 / ROUND);
  stage.give('dave', 'dave', switchTerms('dave', 'carol', stage.view.headTime + HOUR));
  stage.rounds(3, { alice: false });
  assert.equal(stage.sent.length, length + 1);
});

test('after a restart it has its switch, knows whom it stands by for, and when it was switched last', () => {
  const stage = new Stage({ pinned: ['p1', 'active'] });
  stage.give();
  stage.start().takePeers({ inStep: ['p1'], isBehind: false });
  stage.rounds(3, { alice: false });
  assert.equal(stage.sent.length, 1);
  stage.start().takePeers({ inStep: ['p1'], isBehind: false });
  stage.rounds(3, { alice: false });
  assert.deepEqual([stage.obstacle, stage.sent.length], ['switched_lately', 1]);
});

test('a key that was replaced is never used again, unless it was replaced by a branch that came to nothing', () => {
  const stage = new Stage();
  stage.give();
  stage.view.key = testKey('carol');
  stage.rounds(1);
  stage.view.key = testKey('bob');
  stage.rounds(1);
  assert.equal(stage.obstacle, undefined, 'it was not final');
  stage.view.key = testKey('carol');
  stage.rounds(2);
  stage.view.irreversible = stage.view.headNumber;
  stage.rounds(1);
  stage.view.key = testKey('dave');
  stage.rounds(1);
  stage.give('active', 'dave', switchTerms('dave', 'carol', stage.view.headTime + HOUR));
  stage.rounds(3, { alice: false });
  assert.deepEqual([stage.obstacle, stage.sent], ['key_used', []]);
  assert.equal(stage.start().report().obstacle, 'key_used', 'after a restart, too');
});

test('a standby whose file is damaged takes over from nobody, since its key may have been used and replaced, and writes nothing', () => {
  const stage = new Stage({ kept: 'damaged' });
  stage.give();
  stage.rounds(5, { alice: false });
  assert.deepEqual([stage.obstacle, stage.sent, stage.kept], ['damaged_file', [], undefined]);
  assert.match(
    stage.said.join('\n'),
    /put the file back from a copy, or give the standby a new key and remove the file/,
  );
  stage.view.key = testKey('carol');
  stage.standby.look();
  assert.equal(stage.obstacle, undefined, 'the chain says that it makes the blocks');
});
