import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasValidSignature, type SignedHeartbeat } from '../../src/blocks/alive.ts';
import { HeartbeatSigning, type SigningView } from '../../src/witness/heartbeat_signing.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { madeUpId } from '../builders/still_chain.ts';

const CHAIN = 'ab'.repeat(32);
const BEGIN_MS = 1_800_000_000_000;

interface Machine {
  readonly clock: HandClock;
  readonly said: SignedHeartbeat[];
  /** Seconds, in each of which the loop wakes. */
  pass(seconds: number): void;
  changes(
    changed: Partial<{
      branch: number;
      ageSeconds: number;
      participation: number;
      isHeldBack: boolean;
      isOfRound: boolean;
    }>,
  ): void;
}

/** A machine with the keys of alice and bob, whose chain stands still. */
function machine(): Machine {
  const clock = new HandClock(BEGIN_MS);
  const said: SignedHeartbeat[] = [];
  let now = { branch: 0, ageSeconds: 60, participation: 10_000, isHeldBack: false, isOfRound: true };
  const view: SigningView = {
    get head() {
      return { number: 1000, id: madeUpId(1000, now.branch), lastIrreversible: 990 };
    },
    get headTime() {
      return clock.nowMs() / 1000 - now.ageSeconds;
    },
    get participation() {
      return now.participation;
    },
    headSigners: [],
    isOnMainBranch: (id) => id === madeUpId(1000, now.branch),
    signingKeyOf: (witness) => (witness === 'nobody' ? undefined : testKey(witness)),
    hasSigner: () => now.isOfRound,
  };
  const signing = new HeartbeatSigning({
    ...{ chain: CHAIN, intervalSeconds: 3, clock, view },
    producer: {
      witnesses: new Set(['alice', 'bob', 'carol', 'nobody']),
      keys: new Set([testKey('alice'), testKey('bob')]),
    },
    signer: new LocalSigner([testSecret('alice'), testSecret('bob')]),
    isHeldBack: (witness) => now.isHeldBack && witness === 'bob',
    signed: (alive) => said.push(alive),
  });
  return {
    clock,
    said,
    pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        signing.look();
        clock.pass(1000);
      }
    },
    changes: (changed) => (now = { ...now, ...changed }),
  };
}

const heartbeatsByName = (said: readonly SignedHeartbeat[], name: string): SignedHeartbeat[] =>
  said.filter(({ witness }) => witness === name);

test('on an old head each witness whose key is here signs its slot and head each ten seconds', () => {
  const { said, pass } = machine();
  pass(60);
  assert.deepEqual(
    [heartbeatsByName(said, 'alice').length, heartbeatsByName(said, 'bob').length, said.length],
    [6, 6, 12],
  );
  const slots = heartbeatsByName(said, 'alice').map(({ slot }) => slot);
  assert.equal(slots[0], BEGIN_MS / 3000);
  assert.ok(slots.every((slot, index) => index === 0 || slot > (slots[index - 1] ?? slot)));
  for (const alive of said) {
    assert.deepEqual([alive.key, alive.head], [testKey(alive.witness), madeUpId(1000)]);
    assert.ok(hasValidSignature(CHAIN, alive));
  }
});

test('while the chain goes on and most slots are filled nothing is signed; below 75 % it is', () => {
  const { said, pass, changes } = machine();
  changes({ ageSeconds: 6 });
  pass(60);
  assert.equal(said.length, 0);
  changes({ participation: 7499 });
  pass(20);
  assert.equal(said.length, 4);
});

test('a change of branch is said at once, three seconds behind the last word at the earliest', () => {
  const { said, pass, changes } = machine();
  pass(1);
  for (let branch = 1; branch <= 9; branch++) {
    changes({ branch });
    pass(1);
  }
  const times = heartbeatsByName(said, 'alice').map(({ slot }) => (slot - BEGIN_MS / 3000) * 3);
  assert.deepEqual(times, [0, 3, 6, 9]);
});

test('nobody counts on a key that is held back, nor on one of no round', () => {
  const { said, pass, changes } = machine();
  changes({ isHeldBack: true });
  pass(20);
  assert.deepEqual([heartbeatsByName(said, 'bob').length, heartbeatsByName(said, 'alice').length], [0, 2]);
  changes({ isOfRound: false });
  pass(60);
  assert.equal(said.length, 2);
});
