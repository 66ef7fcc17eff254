import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chain } from '../../../src/chain/chain.ts';
import { ChainHeads } from '../../../src/node/http/chain_heads.ts';
import { chainView } from '../../../src/state/chain_view.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { openChain, produce, testParameters } from '../../builders/chain.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';

function setUp(blocks: number): {
  readonly chain: Chain;
  readonly heads: ChainHeads;
  readonly ids: readonly string[];
  readonly peers: { behindBy: number };
} {
  const store = new MemoryStore();
  const chain = openChain(testParameters(), store);
  const ids = [chain.head.id];
  for (let number = 0; number < blocks; number++) {
    produce(chain);
    ids.push(chain.head.id);
  }
  const peers = { behindBy: 0 };
  const heads = new ChainHeads({ rows: chainView(store, 10), blockIntervalMs: 3000, behindBy: () => peers.behindBy });
  return { chain, heads, ids, peers };
}

test('the head is told by number and id, and moves with the chain', () => {
  const { chain, heads, ids } = setUp(3);
  assert.equal(heads.line(), `3 ${ids[3]}`);
  assert.deepEqual(JSON.parse(heads.json()), { number: 3, id: ids[3] });
  let moves = 0;
  heads.onMove(() => void moves++);
  produce(chain);
  assert.deepEqual([heads.number(), heads.line()], [4, `4 ${chain.head.id}`]);
  heads.takeUpdate();
  heads.takeGap();
  assert.equal(moves, 2);
});

test('a head of the chain is here, by number or by id; a later one comes soon when it is near', () => {
  const { heads, ids, peers } = setUp(3);
  for (const asked of ['0', '1', '3', '0003', ids[1], ids[3], ids[3]?.toUpperCase()])
    assert.equal(heads.standing(asked ?? ''), 'here', asked);
  const makeId = (number: number): string => number.toString(16).padStart(8, '0') + 'ab'.repeat(16);
  for (const asked of ['4', '5', makeId(4), makeId(5)]) assert.equal(heads.standing(asked), 'soon', asked);
  for (const asked of ['6', '9999999999', makeId(6)])
    assert.throws(() => heads.standing(asked), { code: 'head_out_of_reach' }, asked);
  // Peers have as many more.
  peers.behindBy = 100;
  assert.equal(heads.standing('105'), 'soon');
  assert.throws(() => heads.standing('106'), { code: 'head_out_of_reach' });
  peers.behindBy = 1_000_000;
  assert.throws(() => heads.standing('100000'), { code: 'head_out_of_reach' });
});

test('an id of another branch is refused with the one that is in its place, and what is no head by what would be', () => {
  const { heads, ids } = setUp(3);
  const other = `${ids[2]?.slice(0, 8)}${'cd'.repeat(16)}`;
  assert.throws(() => heads.standing(other), {
    code: 'head_of_another_branch',
    message: new RegExp(`${other}.*${ids[2]}`),
  });
  assert.throws(() => heads.standing('0'.repeat(39) + '1'), { code: 'head_of_another_branch' });
  assert.equal(setUp(0).heads.standing('0'.repeat(40)), 'here');
  for (const asked of ['', ' ', '-1', '1.5', 'abc', '12345678901', `${ids[2]}0`]) {
    assert.throws(() => heads.standing(asked), { code: 'bad_min_head' }, asked);
  }
});

test('behind a shorter branch that is certified, the head before comes soon or was undone, and its id is named as another one’s', () => {
  const parameters = partedParameters({ finality: true });
  const store = new MemoryStore();
  const { here, there } = partedChains(parameters, store);
  const heads = new ChainHeads({ rows: chainView(store, 10), blockIntervalMs: 3000, behindBy: () => 0, mayFall: true });
  growSide(here, HERE, 6);
  heads.takeUpdate();
  const left = here.head;
  const right = growSide(there, THERE, 4);
  for (const block of right.slice(0, 2)) here.push(copyBlock(parameters, block));
  here.followCertified(right[1]?.id);
  heads.takeUpdate();
  const { number } = here.head;
  assert.equal(number, left.number - 4);
  assert.equal(heads.standing(`${number}`), 'here');
  // In reach it is waited for; a client that asks for more learns that what it saw is gone.
  for (const asked of [number + 1, number + 2]) assert.equal(heads.standing(`${asked}`), 'soon');
  for (const asked of [number + 3, left.number, left.id])
    assert.throws(() => heads.standing(`${asked}`), { code: 'head_undone' });
  assert.throws(() => heads.standing(`${left.number + 1}`), { code: 'head_out_of_reach' });
  for (const block of right.slice(2)) here.push(copyBlock(parameters, block));
  heads.takeUpdate();
  assert.equal(heads.standing(left.id), 'soon');
  growSide(here, THERE, 2);
  assert.throws(() => heads.standing(left.id), { code: 'head_of_another_branch' });
  assert.equal(heads.standing(`${left.number}`), 'here');
});
