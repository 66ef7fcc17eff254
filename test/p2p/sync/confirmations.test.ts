import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Confirmations, type TrustedCheckpoint } from '../../../src/p2p/sync/confirmations.ts';
import { Voices } from '../../../src/p2p/sync/voices.ts';
import { makeNodeId } from '../../builders/pipes.ts';
import { madeUpId, StillChain } from '../../builders/still_chain.ts';

const NUMBER = 100;

interface Said {
  readonly isInbound?: boolean;
  readonly irreversible?: number;
  readonly branch?: number;
  readonly host?: string;
}

function peer(
  name: string,
  { isInbound = false, irreversible = NUMBER, branch = 0, host = '127.0.0.1' }: Said = {},
): Parameters<Confirmations['look']>[0][number] {
  const id = makeNodeId(name);
  const status = {
    ...{ head_number: irreversible + 9, head_id: madeUpId(irreversible + 9, branch) },
    ...{ irreversible_number: irreversible, irreversible_id: madeUpId(irreversible, branch) },
  };
  return { id, status, dialledAt: isInbound ? undefined : { host, port: 1 } };
}

function confirmations(): Confirmations {
  const pinned = makeNodeId('pinned');
  return new Confirmations({
    view: new StillChain(110),
    voices: new Voices({ pinned: new Set([pinned]), allowed: new Set() }),
    number: NUMBER,
  });
}

test('three peers that were dialled confirm a block, at once or one after another', () => {
  const seen = confirmations();
  seen.look([peer('a'), peer('b', { irreversible: 105 })]);
  assert.deepEqual([seen.count, seen.isEnough], [2, false]);
  seen.look([peer('a')]);
  assert.deepEqual([seen.count, seen.isEnough], [2, false]);
  seen.look([peer('c', { irreversible: 110 })]);
  assert.deepEqual([seen.count, seen.isEnough], [3, true]);
});

test('all that were dialled in one group of addresses are one, however many ids they have', () => {
  const seen = confirmations();
  seen.look(['a', 'b', 'c', 'd'].map((name, index) => peer(name, { host: `77.1.1.${index}` })));
  assert.deepEqual([seen.count, seen.isEnough], [1, false]);
  seen.look(['e', 'f'].map((name, index) => peer(name, { host: `78.${index}.1.1` })));
  assert.deepEqual([seen.count, seen.isEnough], [3, true]);
});

test('one whose id the operator has given is enough, also when it was he who came', () => {
  const seen = confirmations();
  seen.look([peer('pinned', { isInbound: true })]);
  assert.ok(seen.isEnough);
});

test('nobody confirms who came by himself, is on another branch, is behind the block or ahead of us, or has said nothing', () => {
  const seen = confirmations();
  const names = ['a', 'b', 'c', 'd'];
  for (const said of [{ isInbound: true }, { branch: 1 }, { irreversible: NUMBER - 1 }, { irreversible: 111 }])
    seen.look(names.map((name) => peer(name, said)));
  seen.look(names.map((name) => ({ id: makeNodeId(name), status: undefined, dialledAt: peer(name).dialledAt })));
  seen.look([peer('pinned', { branch: 1 })]);
  assert.deepEqual([seen.count, seen.isEnough], [0, false]);
});

const VOTERS = { epoch: 2, keys: [], digest: 'ee'.repeat(32) };

/** A chain with finality that has begun with block 100, in epoch 2, and has the voters of later epochs. */
class ProvenChain extends StillChain {
  readonly finality = {
    epoch: 2,
    votersOf: (epoch: number): typeof VOTERS | undefined => (epoch === 2 ? VOTERS : undefined),
    boundaryFrom: (): undefined => undefined,
  };
}

test('a checkpoint takes the place of peers: its block stands above ours, or its voters have made ours final', () => {
  const voices = new Voices({ pinned: new Set(), allowed: new Set() });
  const above = { number: 105, id: madeUpId(105) };
  const below = { number: 90, id: madeUpId(90) };
  const [there, lost] = [{ isThere: true }, { isThere: false }];
  const cases: readonly (readonly [
    TrustedCheckpoint,
    way: { readonly isThere: boolean } | undefined,
    head: number,
    irreversible: number,
    isProven: boolean,
  ])[] = [
    [above, undefined, 110, 0, true],
    [above, there, 104, 0, false],
    [{ ...above, id: madeUpId(105, 1) }, there, 110, 110, false],
    [below, there, 110, NUMBER, true],
    [below, there, 110, 105, true],
    [below, there, 110, NUMBER - 1, false],
    [below, lost, 110, 110, false],
    // Whoever names no voters names nobody who could prove it.
    [below, undefined, 110, 110, false],
  ];
  for (const [checkpoint, way, head, irreversible, isProven] of cases) {
    const view = new ProvenChain(head);
    view.head = { ...view.head, irreversible };
    const seen = new Confirmations({ view, voices, number: NUMBER, checkpoint, way });
    seen.look([]);
    assert.deepEqual([seen.isProven, seen.isEnough], [isProven, isProven], JSON.stringify([checkpoint, irreversible]));
  }
  const unvoted = new Confirmations({ view: new StillChain(110), voices, number: NUMBER, checkpoint: above });
  assert.equal(unvoted.isEnough, false);
});
