import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, type Client } from '../../src/client/index.ts';
import { MOST_WAITING } from '../../src/client/iterate.ts';
import { closeFakeNodes, fakeNode, resultText, type FakeCall, type FakeNode } from '../builders/fake_node.ts';
import { waitUntil } from '../outside/wait_until.ts';

const clients: Client[] = [];
after(() => {
  for (const client of clients) client.close();
  closeFakeNodes();
});

const SUBSCRIBE = 'subscribe_api.subscribe_blocks';
const UNSUBSCRIBE = 'subscribe_api.unsubscribe';

interface FakeChain {
  readonly client: Client;
  readonly node: FakeNode;
  /** The params of each subscription. */
  readonly subscribed: NonNullable<FakeCall['params']>[];
  /** The number of subscriptions that were ended. */
  ended(): number;
  /** Sends items to the last subscription. */
  tell(items: readonly object[]): void;
}

const block = (number: number): object => ({ type: 'block', position: `p${number}`, block: { number } });

/** A node whose chain has so many blocks: each subscription hears all that are behind its position. */
async function heardChain(blocks: number): Promise<FakeChain> {
  const subscribed: NonNullable<FakeCall['params']>[] = [];
  const node = await fakeNode(({ id, method, params = {} }) => {
    if (method === SUBSCRIBE) {
      subscribed.push(params);
      const first = Number(params.resume?.slice(1) ?? 0) + 1;
      const items = Array.from({ length: Math.max(0, blocks - first + 1) }, (_, k) => block(first + k));
      if (items.length > 0) setImmediate(() => node.notify(params.return_id ?? 0, items));
      return resultText(id, { position: 'p0' });
    }
    return resultText(id, method.endsWith('get_version') ? { version_info: { chain_id: '5'.repeat(64) } } : null);
  });
  const client = await connect(`ws://127.0.0.1:${node.port}`);
  clients.push(client);
  return {
    ...{ client, node, subscribed },
    ended: () => node.asked.filter((method) => method === UNSUBSCRIBE).length,
    tell: (items) => node.notify(subscribed.at(-1)?.return_id ?? 0, items),
  };
}

const head = { level: 'head', undone: (): void => undefined } as const;

test('a loop hears each item once and in order, and breaking out ends the subscription', async () => {
  const { client, node, subscribed, ended } = await heardChain(10);
  const heard: string[] = [];
  for await (const item of client.blocks({ from: 'p2' })) {
    heard.push(`${item.block.number} ${item.position}`);
    if (item.block.number === 5) break;
  }
  assert.deepEqual(heard, ['3 p3', '4 p4', '5 p5']);
  assert.deepEqual(
    subscribed.map(({ resume, level }) => [resume, level]),
    [['p2', 'irreversible']],
  );
  await waitUntil('the end of the subscription', () => (ended() === 1 ? true : undefined));
  assert.equal(node.asked.filter((method) => method === SUBSCRIBE).length, 1);
});

test('an iteration that nobody steps through subscribes to nothing, and a closed one has no items', async () => {
  const { client, subscribed } = await heardChain(3);
  const iteration = client.blocks({ from: 1 });
  await client.call('alexandria_api.info', {});
  iteration.close();
  assert.deepEqual(await iteration.next(), { done: true, value: undefined });
  assert.deepEqual(subscribed, []);
});

test('a slow loop is told that it is behind, holds no more than the limit, and misses nothing', async () => {
  const total = 3 * MOST_WAITING;
  const { client, subscribed, ended } = await heardChain(total);
  const behind: string[] = [];
  const iteration = client.blocks({ from: 1, behind: (position) => void behind.push(position) });
  const first = await iteration.next();
  assert.equal(first.value?.block.number, 1);
  await waitUntil('the end of the subscription', () => (ended() === 1 ? true : undefined));
  assert.deepEqual(behind, [`p${MOST_WAITING}`]);
  assert.deepEqual(
    subscribed.map(({ start_block, resume }) => [start_block, resume]),
    [[1, undefined]],
  );
  const numbers = [1];
  for await (const item of iteration) if (numbers.push(item.block.number) === total) break;
  assert.deepEqual(
    numbers,
    Array.from({ length: total }, (_, k) => k + 1),
  );
  assert.equal(subscribed[1]?.resume, `p${MOST_WAITING}`);
});

test('what a branch undoes is told in turn, and the loop waits until the program has done its part', async () => {
  const { client, tell } = await heardChain(2);
  const heard: string[] = [];
  const undone = async ({ number }: { readonly number: number }, position: string): Promise<void> => {
    await new Promise(setImmediate);
    heard.push(`undone above ${number} ${position}`);
  };
  for await (const item of client.blocks({ level: 'head', undone })) {
    heard.push(item.position);
    if (item.position === 'p2')
      tell([{ type: 'undone', position: 'u1', block: { number: 1, id: 'x' } }, block(3), block(4)]);
    if (item.position === 'p4') break;
  }
  assert.deepEqual(heard, ['p1', 'p2', 'undone above 1 u1', 'p3', 'p4']);
});

test('a mistake in undone or behind is thrown by the loop and ends the subscription', async () => {
  const mistake = new Error('a mistake');
  const fail = (): never => {
    throw mistake;
  };
  const branch = await heardChain(1);
  const iteration = branch.client.blocks({ level: 'head', undone: fail });
  await iteration.next();
  branch.tell([{ type: 'undone', position: 'u0', block: { number: 0, id: 'x' } }, block(2)]);
  await assert.rejects(iteration.next(), mistake);
  assert.deepEqual(await iteration.next(), { done: true, value: undefined });
  await waitUntil('the end of the subscription', () => (branch.ended() === 1 ? true : undefined));

  const { client } = await heardChain(MOST_WAITING);
  let heard = 0;
  await assert.rejects(async () => {
    for await (const { block: found } of client.blocks({ from: 1, behind: fail })) heard = found.number;
  }, mistake);
  assert.equal(heard, MOST_WAITING);
});

test('an error ends the loop behind the items that came before it', async () => {
  const { client, tell } = await heardChain(1);
  const heard: number[] = [];
  await assert.rejects(
    async () => {
      for await (const item of client.blocks(head)) {
        heard.push(item.block.number);
        if (item.block.number === 1)
          tell([block(2), { type: 'ended', position: 'p2', error: { name: 'pruned', message: 'gone' } }]);
      }
    },
    { code: 'pruned', message: 'gone' },
  );
  assert.deepEqual(heard, [1, 2]);
});

test('a signal ends the loop with its reason, at once', async () => {
  const { client, ended } = await heardChain(5);
  const reason = new Error('enough');
  const controller = new AbortController();
  const heard: number[] = [];
  await assert.rejects(async () => {
    for await (const item of client.blocks({ from: 1, signal: controller.signal })) {
      heard.push(item.block.number);
      controller.abort(reason);
    }
  }, reason);
  assert.deepEqual(heard, [1]);
  await waitUntil('the end of the subscription', () => (ended() === 1 ? true : undefined));
  await assert.rejects(client.blocks({ signal: controller.signal }).next(), reason);
});

test('what is still on its way for a loop that has ended is not heard by the next one', async () => {
  const { client, node, subscribed, tell, ended } = await heardChain(2);
  for await (const { position } of client.blocks({ from: 1 })) if (position === 'p1') break;
  await waitUntil('the end of the first', () => (ended() === 1 ? true : undefined));
  const next = client.blocks({ from: 'p2' });
  const heard = next.next();
  await waitUntil('the second subscription', () => (subscribed.length === 2 ? true : undefined));
  node.notify(subscribed[0]?.return_id ?? 0, [block(1), block(2)]);
  tell([block(3)]);
  assert.equal((await heard).value?.position, 'p3');
  next.close();
});

test('using closes followings, iterations and clients, and the loops of a closed client end', async () => {
  const { client, ended } = await heardChain(0);
  {
    using following = await client.followBlocks({}, { block() {}, undone() {} });
    assert.equal(following.position, 'p0');
  }
  await waitUntil('the end of the subscription', () => (ended() === 1 ? true : undefined));
  {
    await using iteration = client.blocks(head);
    void iteration.next();
    await client.call('alexandria_api.info', {});
  }
  await waitUntil('the end of the second', () => (ended() === 2 ? true : undefined));
  const waiting = client.blocks(head).next();
  {
    using closing = client;
    await closing.call('alexandria_api.info', {});
  }
  assert.deepEqual(await waiting, { done: true, value: undefined });
});

test('over HTTP a loop is refused as a listener is', async () => {
  const { node } = await heardChain(0);
  using client = await connect(node.url);
  await assert.rejects(client.blocks().next(), { code: 'no_notices' });
});
