import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  NodeRefusal,
  Refusal,
  connect,
  webSocket,
  withMiddleware,
  type Client,
  type DocumentListener,
  type GivenOperation,
  type Result,
} from '../../src/client/index.ts';
import type { Json } from '../../src/codec/json.ts';
import { remedySentence } from '../../src/base/recovery.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { quietPort, startChain, temporaryFolder, type Started } from '../wallet/programs.ts';

const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
/** The chain's time runs thirty times faster than ours. */
const LONG = 3000;
const folder = join(temporaryFolder(), 'dev');
const port = await quietPort();
let node: Started = await startChain(folder, port);
const clients: Client[] = [];
after(async () => {
  for (const client of clients) client.close();
  await node.stop();
});

async function connected(protocol: 'http' | 'ws'): Promise<Client> {
  const client = await connect(`${protocol}://127.0.0.1:${port}`);
  clients.push(client);
  return client;
}

function makeDocument(text: string): GivenOperation {
  return ['custom_json', { sender: 'alice', recipients: ['bob'], app_id: 1, json: JSON.stringify(text) }];
}

/** Hears documents, and resolves when there are so many. */
class Listener implements DocumentListener {
  readonly heard: string[] = [];
  #wanted = 0;
  #reached: (() => void) | undefined;

  document(number: bigint, { data }: { data: string }): void {
    this.heard.push(`${number}:${data}`);
    if (this.heard.length >= this.#wanted) this.#reached?.();
  }

  async until(count: number): Promise<void> {
    this.#wanted = count;
    if (this.heard.length < count) await new Promise<void>((resolve) => (this.#reached = resolve));
  }
}

for (const protocol of ['http', 'ws'] as const) {
  test(`${protocol}: results have the declared types`, { timeout: 60_000 }, async () => {
    const client = await connected(protocol);
    const { account }: Result<'alexandria_api.get_account'> = await client.call('alexandria_api.get_account', {
      account_name: 'alice',
    });
    const [alice] = account;
    assert.equal(alice?.name, 'alice');
    assert.match(alice.balance, /^\d+\.\d{6} COIN$/);
    assert.equal(typeof alice.id, 'bigint');
    assert.match(alice.memo_key, /^PHR/);
    const { history } = await client.call('account_history_api.get_account_history', { account: 'alice' });
    assert.ok(Array.isArray(history));
    assert.equal(await client.call('block_api.get_block', { block_num: 4_000_000_000 }), null);
    await assert.rejects(
      client.call('alexandria_api.get_account', { account_name: 'nobody-here' }),
      (error) =>
        error instanceof NodeRefusal &&
        error.code === 'unknown_account' &&
        error.name === 'unknown_account' &&
        error.remedy === remedySentence('unknown_account') &&
        error.rpcCode === -32003 &&
        Object(error.data).name === 'unknown_account',
    );
  });

  test(`${protocol}: transactions are built and signed here and sent`, { timeout: 60_000 }, async () => {
    const client = await connected(protocol);
    const transaction = await client.build(
      [['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: protocol }]],
      LONG,
    );
    assert.deepEqual(transaction.signatures, []);
    const signed = await client.sign(transaction, [ALICE]);
    const { block_num, trx_num, expired, id } = await client.broadcast(signed);
    assert.ok(block_num > 0 && trx_num >= 0 && !expired);
    const { tx } = await client.call('alexandria_api.get_transaction', { tx_id: id });
    assert.equal(tx.block_num, block_num);
    assert.deepEqual(await client.broadcast(signed), { id, block_num, trx_num, expired });
    assert.equal(await client.transactionId(transaction), id);
    await assert.rejects(
      client.sign(transaction, ['no key']),
      (error) => error instanceof Refusal && error.code === 'not_a_private_key' && !error.message.includes('no key'),
    );
  });
}

test('documents are followed over WebSocket, across a restart of the node', { timeout: 120_000 }, async () => {
  const client = await connected('ws');
  await client.send([makeDocument('a')], [ALICE], LONG);
  const [all, late] = [new Listener(), new Listener()];
  await client.follow({ app_id: 1n, account_name: 'bob', search_type: 'by_recipient' }, all);
  const following = await client.follow(
    { app_id: 1n, account_name: 'alice', search_type: 'by_sender', start: 2n },
    late,
  );
  await client.send([makeDocument('b')], [ALICE], LONG);
  await all.until(2);
  await node.stop();
  node = await startChain(folder, port);
  await client.send([makeDocument('c')], [ALICE], LONG);
  await Promise.all([all.until(3), late.until(2)]);
  following.stop();
  await client.send([makeDocument('d')], [ALICE], LONG);
  await all.until(4);
  assert.deepEqual(all.heard, ['1:"a"', '2:"b"', '3:"c"', '4:"d"']);
  assert.deepEqual(late.heard, ['2:"b"', '3:"c"']);
});

test('the node hears that documents are no longer followed', { timeout: 60_000 }, async () => {
  const ended: Json[] = [];
  const transport = withMiddleware(webSocket(`ws://127.0.0.1:${port}`), async (request, next) => {
    const result = await next(request);
    if (request.method === 'subscribe_api.unsubscribe') ended.push(result);
    return result;
  });
  const client = await connect({ transport });
  clients.push(client);
  {
    using following = await client.follow(
      { app_id: 1n, account_name: 'bob', search_type: 'by_recipient' },
      new Listener(),
    );
    assert.ok(following);
  }
  await waitUntil('the answer of the node', () => ended.length > 0 || undefined);
  assert.deepEqual(ended, [{ ended: 1 }]);
});

test('over HTTP nobody can be told of documents', { timeout: 60_000 }, async () => {
  const client = await connected('http');
  await assert.rejects(
    client.follow({ app_id: 1n, account_name: 'bob', search_type: 'by_recipient' }, new Listener()),
    (error) => error instanceof Refusal && error.code === 'no_notices',
  );
});

test('the package exports the client', async () => {
  const name: string = 'pharos/client';
  const exported: unknown = await import(name);
  assert.equal(Object(exported).connect, connect);
});
