import type { StreamKey } from '../../src/notices/document_stream.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { Chain } from '../../src/chain/chain.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { numberedDocument } from '../../src/queries/document_pages.ts';
import { findDocument } from '../../src/queries/documents.ts';
import { ChainFeed, type ChainMessage } from '../../src/feed/chain_feed.ts';
import type { Limits } from '../../src/jsonrpc/limits/limits.ts';
import { Subscriptions } from '../../src/notices/subscriptions.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { encoding, openChain, produce, testParameters, makeTransaction } from '../builders/chain.ts';
import { ConnectedSubscriber } from './connected_subscriber.ts';

const parameters = testParameters();

/** A listener to notices. */
class Listener extends ConnectedSubscriber {
  readonly heard: string[] = [];

  push(text: string): boolean {
    this.heard.push(text);
    return true;
  }

  /** Its notices, as `number:text`. */
  get documents(): string[] {
    return this.heard.map((text) => {
      const { params }: { params: [number, [[number, { data: string }]]] } = JSON.parse(text);
      const [[number, { data }]] = params[1];
      return `${number}:${JSON.parse(data)}`;
    });
  }
}

class Scene {
  readonly store = new MemoryStore();
  readonly chain: Chain;
  readonly clock = new HandClock(0);
  readonly reports: unknown[] = [];
  readonly subscriptions: Subscriptions;
  readonly first: VerifiedBlock;
  /** The writer's messages that nobody has received yet. */
  readonly messages: ChainMessage[] = [];

  constructor(limits: Partial<Limits> = {}) {
    const feed = new ChainFeed();
    const taken = feed.add((message) => {
      this.messages.push(message);
      taken();
    });
    this.chain = new Chain({
      store: this.store,
      parameters,
      durable: false,
      changed: (change) => {
        const { number, id, time, lastIrreversible: irreversible } = this.chain.head;
        feed.publish(change, { number, id, time, irreversible });
      },
    });
    this.subscriptions = new Subscriptions({
      rows: new View(this.store, 1000),
      clock: this.clock,
      encoding,
      limits: {
        subscriptions: 100,
        subscriptionsPerAddress: 3000,
        subscriptionsPerSocket: 10,
        stalledMs: 30_000,
        ...limits,
      },
      report: (error) => void this.reports.push(error),
    });
    this.first = produce(this.chain);
  }

  /** Delivers the writer's messages. */
  hear(): void {
    for (const message of this.messages.splice(0)) {
      if (message.kind === 'update') this.subscriptions.takeUpdate(message);
      else this.subscriptions.takeGap(message);
    }
  }

  /** A block with these documents of alice to bob and carol. */
  block(...texts: string[]): void {
    send(this.chain, ...texts);
    produce(this.chain);
    this.hear();
  }

  follow(key: Partial<StreamKey> = {}, start: bigint | null = 1n): Listener {
    const listener = new Listener();
    this.subscriptions.subscribe({
      subscriber: listener,
      returnId: '7',
      key: { side: 'recipient', account_name: 'bob', app_id: 1n, ...key },
      start,
    });
    this.clock.pass(0);
    return listener;
  }
}

function send(chain: Chain, ...texts: string[]): void {
  for (const text of texts) {
    const body = {
      fee: '0.010000 COIN',
      sender: 'alice',
      recipients: ['bob', 'carol'],
      app_id: 1,
      json: JSON.stringify(text),
    };
    chain.accept(makeTransaction(chain, parameters, [['custom_json', body]], ['alice']));
  }
}

test('documents that exist come first, then each as a block carries it', () => {
  const scene = new Scene();
  scene.block('a', 'b');
  const bob = scene.follow();
  const late = scene.follow({ side: 'sender', account_name: 'alice' }, 3n);
  assert.deepEqual(bob.documents, ['1:a', '2:b']);
  scene.block('c');
  scene.block();
  scene.block('d', 'e');
  assert.deepEqual(bob.documents, ['1:a', '2:b', '3:c', '4:d', '5:e']);
  assert.deepEqual(late.documents, ['3:c', '4:d', '5:e']);
  assert.deepEqual(scene.reports, []);
});

test('a notice has the form of the lineage', () => {
  const scene = new Scene();
  scene.block('a');
  const [text = ''] = scene.follow().heard;
  assert.match(
    text,
    /^\{"method":"notice","params":\[7,\[\[1,\{"id":0,"sender":"alice","recipients":\["bob","carol"\],"app_id":1,"data":"\\"a\\"","received":"2026-11-21T00:00:\d\d","binary":false\}\]\]\]\}$/,
  );
});

test('everybody hears of the copy that is meant: a recipient of its own, with its own number, a sender of the first', () => {
  const scene = new Scene();
  const sent = (recipients: string[]): void => {
    const body = { fee: '0.010000 COIN', sender: 'alice', recipients, app_id: 1, json: '"é"' };
    scene.chain.accept(makeTransaction(scene.chain, parameters, [['custom_json', body]], ['alice']));
    produce(scene.chain);
    scene.hear();
  };
  sent(['dave']);
  const [bob, dave, alice] = [
    scene.follow(),
    scene.follow({ account_name: 'dave' }),
    scene.follow({ side: 'sender', account_name: 'alice' }),
  ];
  sent(['bob', 'carol', 'dave']);
  const view = new View(scene.store, 10);
  const heard = ({ heard: [...texts] }: Listener): unknown => JSON.parse(texts.at(-1) ?? '').params[1];
  for (const [listener, number, id] of [
    [bob, 1n, 1n],
    [dave, 2n, 3n],
    [alice, 2n, 1n],
  ] as const)
    assert.deepEqual(heard(listener), [
      JSON.parse(writeJson(numberedDocument.toJson([number, present(findDocument(view, id), 'a copy')], encoding))),
    ]);
});

test('nothing is said of transactions that are in no block', () => {
  const scene = new Scene();
  const bob = scene.follow();
  send(scene.chain, 'pending');
  scene.hear();
  scene.clock.pass(1000);
  assert.deepEqual(bob.documents, []);
});

test('other applications, accounts and sides are not heard of', () => {
  const scene = new Scene();
  const others = [
    scene.follow({ app_id: 2n }),
    scene.follow({ account_name: 'dave' }),
    scene.follow({ side: 'sender' }),
    scene.follow({}, 5n),
  ];
  scene.block('a');
  assert.deepEqual(
    others.flatMap(({ documents }) => documents),
    [],
  );
});

test('a thousand documents come in pages, without gaps', () => {
  const scene = new Scene();
  const texts = Array.from({ length: 1050 }, (_, k) => `document ${k}`);
  for (let k = 0; k < texts.length; k += 105) scene.block(...texts.slice(k, k + 105));
  const bob = scene.follow();
  scene.clock.pass(1);
  assert.deepEqual(
    bob.documents,
    texts.map((text, k) => `${k + 1}:${text}`),
  );
});

test('several blocks between two looks are announced together', () => {
  const scene = new Scene();
  const bob = scene.follow();
  for (const text of ['a', 'b', 'c']) {
    send(scene.chain, text);
    produce(scene.chain);
  }
  scene.hear();
  scene.hear();
  assert.deepEqual(bob.documents, ['1:a', '2:b', '3:c']);
});

test('a slow reader gets its documents when it reads again, and is let go when it never does', () => {
  const scene = new Scene();
  const [slow, dead] = [scene.follow(), scene.follow()];
  scene.block('a');
  slow.unsent = dead.unsent = 1e6;
  scene.block('b');
  scene.block('c');
  assert.deepEqual(slow.documents, ['1:a']);
  scene.clock.pass(20_000);
  slow.unsent = 0;
  scene.clock.pass(20_000);
  assert.deepEqual(slow.documents, ['1:a', '2:b', '3:c']);
  assert.equal(dead.dropped, 'too far behind');
  assert.equal(slow.dropped, undefined);
  scene.block('d');
  assert.deepEqual(slow.documents.at(-1), '4:d');
  assert.deepEqual(dead.documents, ['1:a']);
  assert.equal(scene.subscriptions.size, 1);
});

test('subscriptions end with their connection, and have limits', () => {
  const scene = new Scene({ subscriptions: 3, subscriptionsPerSocket: 2 });
  const request = {
    subscriber: new Listener(),
    returnId: '1',
    key: { side: 'recipient', account_name: 'bob', app_id: 1n },
    start: 1n,
  } as const;
  scene.subscriptions.subscribe(request);
  scene.subscriptions.subscribe(request);
  assert.throws(
    () => scene.subscriptions.subscribe(request),
    (error) => error instanceof Refusal && error.code === 'too_many_subscriptions',
  );
  scene.follow();
  assert.throws(
    () => scene.follow(),
    (error) => error instanceof Refusal && error.code === 'node_has_too_many_subscriptions',
  );
  request.subscriber.close();
  assert.equal(scene.subscriptions.size, 1);
  scene.block('a');
  assert.deepEqual(request.subscriber.heard, []);
});

/** A scene, and another chain that shares its blocks so far. */
function parted(limits: Partial<Limits> = {}): { readonly scene: Scene; readonly there: Chain } {
  const scene = new Scene(limits);
  const there = openChain(parameters);
  there.push(scene.first);
  there.push(produce(scene.chain));
  return { scene, there };
}

/** The other branch becomes the main one. */
function adopt(scene: Scene, there: Chain, ...blocksOfTexts: readonly string[][]): void {
  for (const [k, texts] of blocksOfTexts.entries()) {
    send(there, ...texts);
    scene.chain.push(produce(there, k === 0 ? 2 : 1));
  }
  assert.equal(scene.chain.head.id, there.head.id);
  scene.hear();
}

test('after a change of branch, what changed is told anew and nothing else', () => {
  const { scene, there } = parted();
  const [bob, late, alice] = [
    scene.follow(),
    scene.follow({}, 3n),
    scene.follow({ side: 'sender', account_name: 'alice' }),
  ];
  scene.block('a', 'b');
  scene.block('c');
  adopt(scene, there, ['a'], ['x', 'c'], ['d']);
  for (const listener of [bob, alice]) assert.deepEqual(listener.documents, ['1:a', '2:b', '3:c', '2:x', '4:d']);
  assert.deepEqual(late.documents, ['3:c', '4:d']);
  // What the other branch did not have is pending again.
  scene.block('e');
  assert.deepEqual(bob.documents.slice(5), ['5:b', '6:e']);
  assert.deepEqual(scene.reports, []);
});

test('documents that another branch does not have make room for those that come later', () => {
  const { scene, there } = parted();
  const bob = scene.follow();
  scene.block('a', 'b');
  scene.block('c');
  adopt(scene, there, ['a'], [], []);
  assert.deepEqual(bob.documents, ['1:a', '2:b', '3:c']);
  // 'b' is pending again and gets its old number; 'c' referred to a block that is gone.
  const late = scene.follow();
  scene.block('z');
  assert.deepEqual(bob.documents.slice(3), ['3:z']);
  assert.deepEqual(late.documents, ['1:a', '2:b', '3:z']);
});

test('who came after the first documents is told of their replacement too', () => {
  const { scene, there } = parted();
  scene.block('a');
  const bob = scene.follow();
  assert.deepEqual(bob.documents, ['1:a']);
  adopt(scene, there, ['x'], []);
  assert.deepEqual(bob.documents, ['1:a', '1:x']);
});

/** As many as one turn doesn't reach. */
function manyFollowers(scene: Scene): Listener[] {
  return Array.from({ length: 2500 }, () => scene.follow());
}

test('news for thousands leave others their turn, and come in order, once each, whatever happens meanwhile', () => {
  const scene = new Scene({ subscriptions: 3000 });
  const listeners = manyFollowers(scene);
  scene.block('a', 'b');
  const heard = (): number => listeners.filter((listener) => listener.heard.length > 0).length;
  assert.ok(heard() > 0 && heard() < listeners.length, 'some hear at once, the others when it is their turn');
  const [leaving] = listeners.splice(-1);
  leaving?.close();
  const late = scene.follow();
  scene.block('c');
  scene.clock.pass(100);
  for (const listener of [...listeners, late]) assert.deepEqual(listener.documents, ['1:a', '2:b', '3:c']);
  assert.deepEqual(leaving?.heard, []);
  assert.deepEqual(scene.reports, []);
});

test('a branch that changes while news are under way is told of when they are out', () => {
  const { scene, there } = parted({ subscriptions: 3000 });
  const listeners = manyFollowers(scene);
  scene.block('a', 'b');
  adopt(scene, there, ['a'], ['x']);
  scene.clock.pass(100);
  for (const listener of listeners) assert.deepEqual(listener.documents, ['1:a', '2:b', '2:x']);
});

test('news under way end with the last who follows, and begin anew with the next', () => {
  const scene = new Scene({ subscriptions: 3000 });
  const listeners = manyFollowers(scene);
  scene.block('a');
  for (const listener of listeners) listener.close();
  scene.clock.pass(100);
  scene.block('b');
  const late = scene.follow();
  scene.block('c');
  assert.deepEqual(late.documents, ['1:a', '2:b', '3:c']);
  assert.equal(scene.subscriptions.size, 1);
});

test('who asks for what comes from now on hears of no document that was there', () => {
  const scene = new Scene();
  scene.block('a');
  const [all, fresh] = [scene.follow(), scene.follow({}, null)];
  scene.block('b');
  assert.deepEqual([all.documents, fresh.documents], [['1:a', '2:b'], ['2:b']]);
});

test('behind a gap everything is told that was missed, once, whatever branch it is on', () => {
  const { scene, there } = parted();
  const bob = scene.follow();
  scene.block('a');
  for (const texts of [['x'], ['y', 'z']]) {
    send(there, ...texts);
    scene.chain.push(produce(there, texts.length === 1 ? 2 : 1));
  }
  const { number, id, time, lastIrreversible: irreversible } = scene.chain.head;
  scene.messages.splice(0, Infinity, { kind: 'gap', keptNumber: 2, head: { number, id, time, irreversible } });
  scene.hear();
  assert.deepEqual(bob.documents, ['1:a', '1:x', '2:y', '3:z']);
});

test('while readers see a later block than was told, nothing is said; the word of it says whether there was a fork', () => {
  const { scene, there } = parted();
  const bob = scene.follow();
  scene.block('a');
  send(scene.chain, 'b');
  produce(scene.chain);
  const told = scene.messages.splice(0);
  for (const [k, texts] of [['x'], ['y'], ['z', 'z2']].entries()) {
    send(there, ...texts);
    scene.chain.push(produce(there, k === 0 ? 2 : 1));
  }
  const later = scene.messages.splice(0);
  scene.messages.push(...told);
  scene.hear();
  assert.deepEqual(bob.documents, ['1:a']);
  scene.messages.push(...later);
  scene.hear();
  assert.deepEqual(bob.documents, ['1:a', '1:x', '2:y', '3:z', '4:z2']);
});
