import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Refusal } from '../../src/base/refusal.ts';
import { produce } from '../builders/chain.ts';
import { adopt, ChainScene, Client, headBlocks, operations, partedScene, pay } from './chain_scene.ts';

const code =
  (name: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === name;

test('operations of an account come as blocks have them, in order, once each, and those of others do not', () => {
  const scene = new ChainScene();
  const bob = scene.follow(operations(['bob']));
  const carol = scene.follow(operations(['carol']));
  scene.block('a', 'b');
  pay(scene.chain, 'c', 'carol');
  scene.block('d');
  assert.deepEqual(bob.texts, ['a', 'b', 'd']);
  assert.deepEqual(carol.texts, ['c']);
  assert.deepEqual(scene.reports, []);
});

test('kinds and accounts are both asked for; without either every operation comes, those of the chain included', () => {
  const scene = new ChainScene();
  const [none, transfers, all] = [
    scene.follow(operations(['bob'], ['account_create'])),
    scene.follow(operations(undefined, ['transfer'])),
    scene.follow(operations()),
  ];
  scene.block('a');
  assert.deepEqual(none.texts, []);
  assert.deepEqual(transfers.texts, ['a']);
  assert.deepEqual(all.texts.slice(0, 2), ['a', 'producer_reward']);
  scene.subscriptions.stop();
});

test('whole blocks come in one stream, each behind all of its operations, and what was missed just as what is new', () => {
  const scene = new ChainScene();
  const whole = { ...operations(), withBlocks: true } as const;
  const live = scene.follow(whole);
  const { position } = live;
  for (let block = 0; block < 30; block++) scene.block(`a${block}`, `b${block}`);
  const late = scene.follow(whole, { resume: position });
  scene.block('last');
  const one = (memos: readonly string[]): string[] => [...memos, 'producer_reward', 'block'];
  const all = Array.from({ length: 30 }, (_, block) => one([`a${block}`, `b${block}`]));
  for (const { items } of [live, late])
    assert.deepEqual(
      items.map(({ type }) => type),
      [...all, one(['last'])].flat().map((text) => (text === 'block' ? 'block' : 'operation')),
    );
  const plain = scene.follow(operations(), { resume: position });
  assert.ok(plain.items.every(({ type }) => type === 'operation'));
});

test('what was missed comes first, whatever is followed, and then what is new, without a gap or a repeat', () => {
  const scene = new ChainScene();
  const before = scene.follow(headBlocks);
  const { position } = before;
  for (let block = 0; block < 50; block++) scene.block(`a${block}`, `b${block}`);
  const subjects = [
    operations(['bob']),
    operations(['alice', 'bob', 'carol']),
    operations(undefined, ['transfer']),
    operations(['bob'], ['transfer']),
  ];
  const clients = subjects.map((subject) => scene.follow(subject, { resume: position }));
  const blocks = scene.follow(headBlocks, { resume: position });
  scene.block('last');
  const expected = [...Array.from({ length: 50 }, (_, block) => [`a${block}`, `b${block}`]).flat(), 'last'];
  for (const client of clients)
    assert.deepEqual(
      client.texts.filter((text) => text !== 'producer_reward'),
      expected,
    );
  assert.deepEqual(blocks.texts, before.texts);
  assert.deepEqual(scene.reports, []);
});

test('a subscription may begin with a block, and is refused one that is not next yet', () => {
  const scene = new ChainScene();
  scene.block('a');
  scene.block('b');
  assert.deepEqual(scene.follow(operations(['bob']), { start: 1 }).texts, ['a', 'b']);
  assert.deepEqual(scene.follow(operations(['bob']), { start: 3 }).texts, ['b']);
  assert.deepEqual(scene.follow(operations(['bob']), { start: 4 }).texts, []);
  assert.throws(() => scene.follow(operations(['bob']), { start: 5 }), code('position_in_future'));
});

test('every position of every subscription is one to resume from, in the middle of a block as well', () => {
  const scene = new ChainScene();
  for (let block = 0; block < 3; block++) scene.block(...Array.from({ length: 5 }, (_, k) => `${block}.${k}`));
  const all = scene.follow(operations(), { start: 1 });
  const whole = all.items.map(({ operation }) => JSON.stringify(operation));
  assert.ok(whole.length >= 18);
  for (const [k, { position }] of all.items.entries()) {
    const rest = scene.follow(operations(), { resume: position });
    assert.deepEqual(
      rest.items.map(({ operation }) => JSON.stringify(operation)),
      whole.slice(k + 1),
    );
    const ofBob = scene.follow(operations(['bob']), { resume: position });
    assert.deepEqual(
      ofBob.texts,
      all.texts.slice(k + 1).filter((text) => text !== 'producer_reward'),
    );
  }
});

test('a slow reader of a chain that has gone back is told so like everybody else, though no further block comes', () => {
  const scene = new ChainScene({ undoBlocks: 10 });
  const [slow, quick] = [scene.follow(headBlocks), scene.follow(headBlocks)];
  scene.block();
  scene.block();
  slow.unsent = 1_000_000;
  scene.block();
  scene.chain.revert(2);
  scene.hear();
  slow.unsent = 0;
  scene.clock.pass(100);
  assert.deepEqual(
    slow.items.map(({ type }) => type),
    ['block', 'block', 'behind', 'undone'],
  );
  assert.deepEqual(slow.texts, quick.texts);
  assert.deepEqual(scene.reports, []);
});

test('a subscription that fails holds up no other one, though no further block comes', () => {
  const scene = new ChainScene();
  const [broken, sound] = [scene.client(), scene.client()];
  broken.push = () => assert.fail('a broken connection');
  scene.block('a');
  for (const client of [broken, sound])
    scene.subscriptions.subscribe({
      subscriber: client,
      returnId: '7',
      subject: headBlocks,
      resume: undefined,
      start: 1,
    });
  scene.clock.pass(100);
  assert.equal(broken.dropped, 'internal error');
  assert.equal(sound.texts.length, 2);
  assert.equal(scene.reports.length, 1);
});

test('what another branch undoes is told, then what that branch has', () => {
  const { scene, there } = partedScene();
  const [bob, blocks, carol] = [
    scene.follow(operations(['bob'])),
    scene.follow(headBlocks),
    scene.follow(operations(['carol'])),
  ];
  scene.block('a', 'b');
  scene.block('c');
  adopt(scene, there, ['x'], ['a'], ['y']);
  assert.deepEqual(
    bob.items.map(({ type, operation }) => operation?.op[1].memo ?? type),
    ['a', 'b', 'c', 'undone', 'x', 'a', 'y'],
  );
  assert.deepEqual(bob.texts, ['x', 'a', 'y']);
  assert.deepEqual(
    blocks.texts,
    [2, 3, 4].map((number) => scene.chain.block(number)?.id),
  );
  // Nothing that it was told of has been undone.
  assert.deepEqual(carol.items, []);
  assert.deepEqual(scene.reports, []);
});

test('what a shorter branch undoes because it is certified is told at once, and to whoever resumes above the head', () => {
  const { scene, there } = partedScene();
  const [bob, blocks, balance] = [
    scene.follow(operations(['bob'])),
    scene.follow(headBlocks),
    scene.follow(operations(['alice'])),
  ];
  for (const memo of ['a', 'b', 'c', 'd']) scene.block(memo);
  const away = new Client();
  away.ledger.push(...blocks.ledger);
  const resume = blocks.items.at(-1)?.position;
  pay(there, 'x');
  const short = produce(there, 2);
  scene.chain.push(short);
  scene.hear();
  assert.deepEqual(bob.texts, ['a', 'b', 'c', 'd']);
  scene.chain.followCertified(short.id);
  scene.hear();
  assert.equal(scene.chain.head.number, 2);
  for (const client of [bob, balance])
    assert.deepEqual(
      client.items.map(({ type, operation }) => operation?.op[1].memo ?? type),
      ['a', 'b', 'c', 'd', 'undone', 'x'],
    );
  assert.deepEqual(blocks.texts, [short.id]);
  // Its position is of a block above the head, which this node has left.
  scene.follow(headBlocks, { client: away, resume });
  assert.deepEqual([away.items[0]?.type, away.items[0]?.block?.number, away.texts], ['undone', 1, [short.id]]);
  scene.block('y');
  assert.deepEqual(bob.texts.slice(0, 1), ['x']);
  assert.deepEqual(blocks.texts, [short.id, scene.chain.head.id]);
  assert.deepEqual(away.texts, blocks.texts);
  assert.deepEqual(scene.reports, []);
});

test('who was away while a branch was replaced is told what is undone, down to the common block', () => {
  const { scene, there } = partedScene();
  const [bob, blocks] = [scene.follow(operations(['bob'])), scene.follow(headBlocks)];
  scene.block('a');
  scene.block('b');
  const away = new Client();
  away.ledger.push(...bob.ledger);
  adopt(scene, there, ['x'], ['y'], ['z']);
  scene.follow(operations(['bob']), { client: away, resume: bob.items[1]?.position });
  assert.equal(away.items[0]?.type, 'undone');
  assert.equal(away.items[0].block?.number, 1);
  assert.deepEqual(away.texts, ['x', 'y', 'z']);
  const mixed = scene.follow(headBlocks, { resume: bob.items[0]?.position });
  assert.deepEqual(mixed.texts, blocks.texts);
});

test('what is irreversible is told once nothing can undo it, and nothing of it is ever undone', () => {
  const { scene, there } = partedScene();
  const [bob, blocks] = [
    scene.follow(operations(['bob'], undefined, 'irreversible')),
    scene.follow({ kind: 'blocks', level: 'irreversible' }),
  ];
  scene.block('a');
  assert.deepEqual(bob.texts, []);
  adopt(scene, there, ['x'], ['y']);
  while (scene.chain.head.lastIrreversible < 4) scene.block();
  assert.deepEqual(bob.texts, ['x', 'y', 'a']);
  assert.deepEqual(
    bob.items.map(({ type }) => type),
    ['operation', 'operation', 'operation'],
  );
  assert.equal(blocks.items.at(-1)?.block?.number, scene.chain.head.lastIrreversible);
  assert.equal(blocks.items.length, new Set(blocks.texts).size);
});

test('a position above what is irreversible waits for its block to become so', () => {
  const scene = new ChainScene();
  const head = scene.follow(operations(['bob']));
  scene.block('a');
  const late = scene.follow(operations(['bob'], undefined, 'irreversible'), { resume: head.position });
  const other = scene.follow(operations(['bob'], undefined, 'irreversible'));
  scene.block('b');
  while (scene.chain.head.lastIrreversible < 3) scene.block();
  assert.deepEqual(late.texts, ['b']);
  assert.deepEqual(other.texts, ['a', 'b']);
  assert.deepEqual(scene.reports, []);
});

test('a balance comes at once, then when a block has changed it, and again when it is another on another branch', () => {
  const { scene, there } = partedScene();
  const bob = scene.follow({ kind: 'balances', level: 'head', account: 'bob' });
  const nobody = scene.follow({ kind: 'balances', level: 'head', account: 'nobody' });
  const [first] = bob.texts;
  scene.block('a');
  scene.block();
  scene.block('b');
  assert.equal(bob.texts.length, 3);
  adopt(scene, there, ['x'], [], [], [], []);
  assert.equal(bob.items.at(-2)?.type, 'undone');
  assert.notEqual(bob.texts.at(-1), first);
  assert.equal(bob.texts.at(-1), bob.texts[1]);
  assert.deepEqual(nobody.texts, ['none']);
  assert.deepEqual(scene.reports, []);
});

test('a slow reader is told that it is behind and where it stopped; nothing waits for it in memory, and nothing is lost', () => {
  const scene = new ChainScene();
  const slow = scene.follow(operations(['bob']));
  const fast = scene.follow(operations(['bob']));
  scene.block('a');
  slow.unsent = 1024 * 1024;
  for (let block = 0; block < 20; block++) scene.block(`b${block}`);
  assert.deepEqual(
    slow.items.map(({ type }) => type),
    ['operation', 'behind'],
  );
  assert.equal(slow.items[1]?.position, fast.items[0]?.position === undefined ? '' : slow.position);
  assert.equal(fast.texts.length, 21);
  slow.unsent = 0;
  scene.clock.pass(100);
  assert.deepEqual(slow.texts, fast.texts);
  scene.block('c');
  assert.deepEqual(slow.texts, fast.texts);
  assert.deepEqual(scene.reports, []);
});

test('a slow reader is told of what was undone while it was behind', () => {
  const { scene, there } = partedScene();
  const slow = scene.follow(operations(['bob']));
  scene.block('a');
  slow.unsent = 1024 * 1024;
  scene.block('b');
  adopt(scene, there, ['x'], [], []);
  slow.unsent = 0;
  scene.clock.pass(100);
  assert.deepEqual(slow.texts.slice(0, 1), ['x']);
  assert.ok(slow.items.some(({ type }) => type === 'undone'));
});

test('a reader that takes nothing for half a minute is let go', () => {
  const scene = new ChainScene();
  const slow = scene.follow(operations(['bob']));
  slow.unsent = 1024 * 1024;
  scene.block('a');
  scene.clock.pass(29_000);
  assert.equal(slow.dropped, undefined);
  scene.clock.pass(2000);
  assert.equal(slow.dropped, 'too far behind');
  assert.equal(scene.counts.size, 0);
});

test('an ended subscription is told nothing more; one with the same return_id takes its place', () => {
  const scene = new ChainScene();
  const client = scene.follow(operations(['bob']));
  scene.follow(headBlocks, { client });
  assert.equal(scene.counts.size, 1);
  scene.block('a');
  assert.deepEqual(
    client.items.map(({ type }) => type),
    ['block'],
  );
  assert.equal(scene.subscriptions.unsubscribe(client, '7'), 1);
  assert.equal(scene.subscriptions.unsubscribe(client, '7'), 0);
  scene.block('b');
  assert.equal(client.items.length, 1);
  assert.equal(scene.counts.size, 0);
});

test('one that takes the place of another needs no room besides, and leaves it alone when it finds none', () => {
  const scene = new ChainScene({ limits: { subscriptionsPerSocket: 2 } });
  const client = scene.follow(operations(['alice', 'bob']));
  scene.follow(operations(['bob', 'carol']), { client });
  assert.equal(scene.counts.size, 2);
  assert.throws(() => scene.follow(operations(['alice', 'bob', 'carol']), { client }), code('too_many_subscriptions'));
  scene.block('a');
  assert.deepEqual(client.texts, ['a']);
  client.close();
  assert.equal(scene.counts.size, 0);
});

test('each account of a subscription counts, for the connection and for the node', () => {
  const scene = new ChainScene({ limits: { subscriptionsPerSocket: 3, subscriptions: 4 } });
  assert.throws(() => scene.follow(operations(['alice', 'bob', 'carol', 'dave'])), code('too_many_subscriptions'));
  const three = scene.follow(operations(['alice', 'bob', 'carol']));
  assert.throws(() => scene.follow(operations(['alice', 'bob'])), code('node_has_too_many_subscriptions'));
  three.close();
  scene.follow(operations(['alice', 'bob']));
});

test('a position of another chain, of the future, of pruned blocks or of an unknown branch is refused, and what to do is said', () => {
  const scene = new ChainScene({ blocksKept: 10 });
  const client = scene.follow(headBlocks);
  const { position: old = '' } = client;
  for (let block = 0; block < 60; block++) scene.block();
  const resuming = (resume: string) => () => void scene.follow(headBlocks, { resume });
  assert.throws(resuming(old), code('pruned'));
  assert.throws(() => scene.follow(headBlocks, { start: 2 }), code('pruned'));
  const bytes = Buffer.from(client.position ?? '', 'base64url');
  const other = Buffer.from(bytes);
  other.writeUInt32BE(1, 1);
  assert.throws(resuming(other.toString('base64url')), code('position_of_another_chain'));
  const future = Buffer.from(bytes);
  future.writeUInt32BE(1000, 5);
  assert.throws(resuming(future.toString('base64url')), code('position_in_future'));
  const unknown = Buffer.from(bytes.subarray(0, 35));
  unknown.writeUInt32BE(0xabcd, 9);
  assert.throws(resuming(unknown.toString('base64url')), code('position_replaced'));
});

test('thousands who follow the same leave others their turn', () => {
  const scene = new ChainScene();
  const clients = Array.from({ length: 500 }, () => scene.follow(operations(['bob'])));
  scene.block('a');
  for (const client of clients) assert.deepEqual(client.texts, ['a']);
  const [leaving] = clients;
  leaving?.close();
  scene.block('b');
  assert.deepEqual(leaving?.texts, ['a']);
  assert.deepEqual(clients[1]?.texts, ['a', 'b']);
});

test('a branch that changes again and again while many catch up leaves every one with what the chain has', () => {
  const { scene, there } = partedScene();
  const clients: Client[] = [];
  let reference = 0;
  for (let round = 0; round < 6; round++) {
    clients.push(
      scene.follow(operations(['bob']), { start: 1 }),
      scene.follow(operations(undefined, ['transfer']), { start: 1 }),
    );
    scene.block(`here ${round}`);
    while (scene.chain.head.id !== there.head.id) {
      pay(there, `there ${reference++}`);
      scene.chain.push(produce(there));
    }
    if (round % 2 === 0) scene.hear();
  }
  scene.hear();
  const expected = scene.follow(operations(['bob']), { start: 1 }).texts;
  assert.ok(expected.length > 5);
  for (const client of clients) assert.deepEqual(client.texts, expected);
  assert.deepEqual(scene.reports, []);
});

test('a subscription takes a few KiB, and gives them back', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const used = (): number => {
    Reflect.apply(collect, undefined, []);
    return process.memoryUsage().heapUsed;
  };
  const scene = new ChainScene();
  const follow = (): Client[] =>
    Array.from({ length: 5000 }, (_, k) => scene.follow(operations([`subscriber-${k}`], ['transfer'])));
  // What is loaded and compiled on the way counts once.
  for (const client of follow()) client.close();
  const before = used();
  const clients = follow();
  scene.block('a');
  const each = (used() - before) / clients.length;
  assert.ok(each < 8 * 1024, `${each} bytes each, the client of this test included`);
  for (const client of clients) client.close();
  assert.equal(scene.counts.size, 0);
  const left = (used() - before) / clients.length;
  assert.ok(left < each / 4 + 2048, `${left} of ${each} bytes are left`);
  assert.equal(clients.length, 5000);
});
