import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Confirmations } from '../../src/p2p/confirmations.ts';
import { Voices } from '../../src/p2p/voices.ts';
import { HandPipe, nodeIdOf } from '../builders/pipes.ts';
import { madeUpId, StillChain } from '../builders/still_chain.ts';

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
  const id = nodeIdOf(name);
  const status = {
    ...{ head_number: irreversible + 9, head_id: madeUpId(irreversible + 9, branch) },
    ...{ irreversible_number: irreversible, irreversible_id: madeUpId(irreversible, branch) },
  };
  return { id, status, pipe: new HandPipe(id, isInbound, { host, port: 1 }) };
}

function confirmations(): Confirmations {
  const pinned = nodeIdOf('pinned');
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
  seen.look(names.map((name) => ({ id: nodeIdOf(name), status: undefined, pipe: peer(name).pipe })));
  seen.look([peer('pinned', { branch: 1 })]);
  assert.deepEqual([seen.count, seen.isEnough], [0, false]);
});
