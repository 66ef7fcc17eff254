import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readKeySwitch } from '../../src/blocks/key_switch.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { StandbyOffers } from '../../src/witness/standby_offers.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { HandClock } from '../builders/hand_clock.ts';

const START = 1_600_000_000;
const STANDBYS = [
  { node: 'first', key: testKey('carol') },
  { node: 'second', key: testKey('dave') },
];

class Stage {
  readonly clock = new HandClock(START * 1000);
  readonly handed: {
    readonly node: string;
    readonly key: string;
    readonly newKey: string;
    readonly expiration: number;
  }[] = [];
  readonly said: string[] = [];
  readonly view = {
    headTime: START,
    irreversibleId: '0000000a'.padEnd(40, '7'),
    key: testKey('bob'),
    signingKeyOf: () => this.view.key,
  };
  readonly offers: StandbyOffers;

  constructor(known = STANDBYS.map(({ key }) => key)) {
    this.offers = new StandbyOffers({
      ...{
        witness: 'alice',
        chain: 'ab'.repeat(32),
        feeSymbol: 'COIN',
        view: this.view,
        clock: this.clock,
        standbys: STANDBYS,
      },
      signer: new LocalSigner([testSecret('bob')], undefined, known),
      hand: (node, packed) => this.handed.push({ node, ...(readKeySwitch(packed)?.terms ?? assert.fail('no switch')) }),
      warn: (sentence) => this.said.push(sentence),
      note: (sentence) => this.said.push(sentence),
    });
    this.offers.takePeers({ inStep: ['first'], isBehind: false });
  }

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.clock.pass(1000);
      this.view.headTime++;
      this.offers.look();
    }
  }
}

test('each standby gets a switch at once, and a new one each 20 minutes, good for an hour', () => {
  const stage = new Stage();
  stage.pass(60 * 61);
  const first = stage.handed.filter(({ node }) => node === 'first');
  assert.equal(first.length, 4);
  for (const { key, newKey } of first) assert.deepEqual([key, newKey], [testKey('bob'), testKey('carol')]);
  const [one, two] = first;
  assert.equal((two?.expiration ?? 0) - (one?.expiration ?? 0), 1200);
  assert.equal(one?.expiration, START + 1 + 3600);
  assert.deepEqual(
    stage.offers.report().map(({ node, isInStep }) => [node, isInStep]),
    [
      ['first', true],
      ['second', false],
    ],
  );
  assert.ok(stage.offers.report().every(({ signed, expires }) => expires - signed === 3600 && signed > START));
});

test('nothing is signed for a key that is another machine’s, nor while the node catches up, nor on a chain that has stopped', () => {
  const stage = new Stage();
  stage.view.key = testKey('erin');
  stage.pass(60);
  stage.view.key = testKey('bob');
  stage.offers.takePeers({ inStep: [], isBehind: true });
  stage.pass(60);
  stage.offers.takePeers({ inStep: [], isBehind: false });
  stage.view.headTime -= 700;
  stage.pass(60);
  assert.deepEqual(stage.handed, []);
  assert.ok(stage.offers.report().every(({ expires }) => expires === 0));
});

test('a signer that knows no such standby signs no switch, whatever the node asks for', () => {
  const stage = new Stage([testKey('carol')]);
  stage.pass(10);
  assert.deepEqual(
    stage.handed.map(({ node }) => node),
    ['first'],
  );
  assert.equal(
    stage.said.filter((line) => /no switch for the standby second.*no standby with that key is named here/.test(line))
      .length,
    1,
  );
});
