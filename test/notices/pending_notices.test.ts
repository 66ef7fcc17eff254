import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChain, produce, makeTransaction, transferJson } from '../builders/chain.ts';
import {
  adopt,
  ChainScene,
  operations,
  parameters,
  partedScene,
  transfer,
  type Client,
  type Item,
} from './chain_scene.ts';

const pendingOperations = (...accounts: string[]): ReturnType<typeof operations> =>
  operations(accounts, undefined, 'pending');

/** Lists the reasons for dropped transactions. */
function reasons({ items }: Client): { readonly name: string }[] {
  return items.flatMap(({ error }) => (error === undefined ? [] : [{ name: error.name }]));
}

/** Lists a client's notices, a word each. */
function heard({ items }: Client): string[] {
  return items.map(shown);
}

function shown({ type, operation, error, count, block }: Item): string {
  const what = operation?.op[1].memo ?? error?.name ?? count ?? block?.number ?? '';
  return `${type} ${what}`;
}

test('at level pending an operation is told when it is accepted, and again when a block has it', () => {
  const scene = new ChainScene();
  const [pending, head, carol] = [
    scene.follow(pendingOperations('bob')),
    scene.follow(operations(['bob'])),
    scene.follow(pendingOperations('carol')),
  ];
  scene.accept(...scene.transfers('a', 'b'));
  scene.hear();
  assert.deepEqual(heard(pending), ['pending a', 'pending b']);
  assert.deepEqual(heard(head), []);
  scene.block();
  assert.deepEqual(heard(pending), ['pending a', 'pending b', 'operation a', 'operation b']);
  assert.deepEqual(heard(head), ['operation a', 'operation b']);
  assert.deepEqual(heard(carol), []);
  // It is the same operation: its id, its place among those of its transaction.
  const [first, , inBlock] = pending.items;
  assert.equal(first?.operation?.trx_id, inBlock?.operation?.trx_id);
  assert.equal(first?.position, undefined);
  assert.deepEqual(scene.reports, []);
});

test('at level pending kinds are asked for as on the other levels, and all operations without any', () => {
  const scene = new ChainScene();
  const [none, transfers, all] = [
    scene.follow(operations(['bob'], ['account_create'], 'pending')),
    scene.follow(operations(undefined, ['transfer'], 'pending')),
    scene.follow(operations(undefined, undefined, 'pending')),
  ];
  scene.accept(...scene.transfers('a'));
  scene.hear();
  assert.deepEqual([none, transfers, all].map(heard), [[], ['pending a'], ['pending a']]);
});

test('who follows blocks at level pending hears of each transaction, then of its block', () => {
  const scene = new ChainScene();
  const blocks = scene.follow({ kind: 'blocks', level: 'pending' });
  const [transaction] = scene.transfers('a');
  scene.accept(...(transaction === undefined ? [] : [transaction]));
  scene.block();
  assert.deepEqual(
    blocks.items.map(({ type }) => type),
    ['block'],
    'what is in a block when it is looked at is told with the block alone',
  );
  scene.accept(...scene.transfers('b'));
  scene.hear();
  scene.block();
  assert.deepEqual(
    blocks.items.map(({ type }) => type),
    ['block', 'pending_transaction', 'block'],
  );
  assert.equal(blocks.items[1]?.transaction?.operation_count, 1);
});

test('what expires before a block has it is told as dropped, with the reason', () => {
  const scene = new ChainScene();
  const bob = scene.follow(pendingOperations('bob'));
  const soon = makeTransaction(scene.chain, parameters, [transferJson('alice', 'bob', 1_000_000, 'soon')], ['alice'], {
    expiration: scene.chain.headTime + 4,
  });
  scene.accept(soon, ...scene.transfers('late'));
  scene.hear();
  produce(scene.chain, 3);
  scene.hear();
  assert.deepEqual(heard(bob).toSorted(), [
    'dropped expires_too_soon',
    'operation late',
    'pending late',
    'pending soon',
  ]);
  assert.deepEqual(reasons(bob), [{ name: 'expires_too_soon' }]);
  assert.equal(bob.items.find(({ type }) => type === 'dropped')?.transaction?.trx_id, soon.id);
});

test('what a block of somebody else makes impossible is told as dropped; what it has is told with it and not as dropped', () => {
  const scene = new ChainScene();
  const there = openChain(parameters);
  there.push(scene.first);
  const bob = scene.follow(pendingOperations('bob'));
  const everything = 10_000_000_000_000 - 1_000_000;
  const [kept, impossible] = [
    transfer(scene.chain, 'kept'),
    transfer(scene.chain, 'impossible', 'bob', 'carol', everything),
  ];
  scene.accept(kept, impossible);
  scene.hear();
  there.accept(kept);
  there.accept(transfer(there, 'away', 'dave', 'carol', everything));
  scene.chain.push(produce(there));
  scene.hear();
  assert.deepEqual(heard(bob).slice(0, 2), ['pending kept', 'pending impossible']);
  assert.deepEqual(heard(bob).slice(2).toSorted(), ['dropped insufficient_funds', 'operation kept']);
});

test('what an undone block had is told as undone and waits again', () => {
  const { scene, there } = partedScene();
  const bob = scene.follow(pendingOperations('bob'));
  scene.accept(...scene.transfers('a'));
  scene.hear();
  scene.block();
  adopt(scene, there, ['x'], ['y']);
  assert.deepEqual(heard(bob), ['pending a', 'operation a', 'undone 1', 'operation x', 'operation y']);
  scene.block();
  assert.equal(heard(bob).at(-1), 'operation a');
});

test('what waits when the chain goes back is told as dropped', () => {
  const scene = new ChainScene();
  const bob = scene.follow(pendingOperations('bob'));
  scene.block('a');
  scene.accept(...scene.transfers('b'));
  scene.hear();
  scene.chain.revert(1);
  scene.hear();
  assert.deepEqual(heard(bob).slice(0, 2), ['operation a', 'pending b']);
  assert.deepEqual(heard(bob).slice(2).toSorted(), ['dropped head_reverted', 'undone 1']);
  assert.deepEqual(reasons(bob), [{ name: 'head_reverted' }]);
});

test('a slow reader is told that it is behind, and of nothing that waits until it has read what blocks have', () => {
  const scene = new ChainScene();
  const bob = scene.follow(pendingOperations('bob'));
  bob.unsent = 1_000_000;
  scene.accept(...scene.transfers('a'));
  scene.hear();
  scene.accept(...scene.transfers('b'));
  scene.hear();
  assert.deepEqual(heard(bob), ['behind ']);
  scene.block();
  bob.unsent = 0;
  scene.clock.pass(100);
  assert.deepEqual(heard(bob), ['behind ', 'operation a', 'operation b']);
  scene.accept(...scene.transfers('c'));
  scene.hear();
  assert.equal(heard(bob).at(-1), 'pending c');
});

test('of what a busy node could not hand over only the number is told', () => {
  const scene = new ChainScene();
  const bob = scene.follow(pendingOperations('bob'));
  for (let k = 0; k < 70; k++) scene.accept(...scene.transfers(`${k}`));
  scene.hear();
  assert.equal(bob.items.length, 64);
  scene.hear();
  const told = heard(bob);
  assert.deepEqual(told.slice(62), ['pending 62', 'pending 63', 'missed 6']);
  scene.block();
  assert.equal(bob.texts.length, 70);
});

test('resume at level pending brings what blocks had meanwhile, and nothing of what waited', () => {
  const scene = new ChainScene();
  const bob = scene.follow(pendingOperations('bob'));
  const { position } = bob;
  bob.close();
  scene.accept(...scene.transfers('a'));
  scene.block();
  scene.accept(...scene.transfers('b'));
  const again = scene.follow(pendingOperations('bob'), { resume: position });
  scene.hear();
  assert.deepEqual(heard(again), ['operation a']);
  scene.block();
  assert.deepEqual(heard(again), ['operation a', 'operation b']);
});

test('the writer is asked to tell while somebody follows at level pending, and not afterwards', () => {
  const scene = new ChainScene();
  const asked: boolean[] = [];
  const other = scene.serve(scene.clock, undefined, (isWatched) => void asked.push(isWatched));
  const [first, second] = [0, 1].map((k) => {
    const client = scene.client();
    other.subscribe({
      subscriber: client,
      returnId: String(k),
      subject: pendingOperations('bob'),
      start: undefined,
      resume: undefined,
    });
    return client;
  });
  other.subscribe({
    subscriber: scene.client(),
    returnId: '1',
    subject: operations(['bob']),
    start: undefined,
    resume: undefined,
  });
  first?.close();
  assert.deepEqual(asked, [true]);
  second?.close();
  assert.deepEqual(asked, [true, false]);
  other.stop();
});
