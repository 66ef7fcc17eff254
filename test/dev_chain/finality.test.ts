import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NodeRefusal } from '../../src/client/index.ts';
import type { GivenTransaction } from '../../src/client/transaction.ts';
import { devChain, type GivenOperation } from '../../src/dev_chain/dev_chain.ts';

// A program waits until its transaction is final, over a development chain whose blocks are made on command.

const chain = await devChain({ mining: 'none' });
after(async () => await chain.stop());
const { client } = chain;
/** A development chain calls a block final when a round of blocks stands on it. */
const ROUND = 60;

const payment = (memo: string): GivenOperation => [
  'transfer',
  { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo },
];

async function signed(memo: string, seconds?: number): Promise<GivenTransaction> {
  return await client.sign(await client.build([payment(memo)], seconds), [chain.account('alice').key]);
}

async function fetchStatus(
  id: string,
  expiration?: string,
): Promise<{ readonly status: string; readonly block_num?: number }> {
  return await chain.call('transaction_status_api.find_transaction', {
    transaction_id: id,
    ...(expiration === undefined ? {} : { expiration }),
  });
}

/** Until the node has accepted what was sent last. */
async function accepted(id: string): Promise<void> {
  while ((await fetchStatus(id)).status !== 'pending') await new Promise(setImmediate);
}

/** True when it is answered, after everything that follows from the last call. */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  let is = false;
  void answer.then(
    () => (is = true),
    () => (is = true),
  );
  for (let tick = 0; tick < 100; tick++) await new Promise(setImmediate);
  return is;
}

test('a client that waits for finality is answered when no fork can take the block back; one for the block when it comes; one for acceptance at once', async () => {
  const trx = await signed('final');
  const id = await client.transactionId(trx);
  const final = client.broadcast(trx, { waitFor: 'final' });
  await accepted(id);
  const block = client.broadcast(trx);
  const other = await signed('accepted');
  assert.deepEqual(await client.broadcast(other, { waitFor: 'accepted' }), {
    id: await client.transactionId(other),
    block_num: -1,
    trx_num: -1,
    expired: false,
  });
  await chain.mine();
  const placed = await block;
  assert.equal(await isAnswered(final), false);
  assert.deepEqual(await fetchStatus(id), { status: 'in_block', block_num: placed.block_num });
  await chain.mine(ROUND);
  assert.deepEqual(await final, placed);
  assert.deepEqual(await fetchStatus(id), { status: 'final', block_num: placed.block_num });
  // Sent once more, it is looked for.
  assert.deepEqual(await client.broadcast(trx, { waitFor: 'final' }), placed);
});

test('a fork moves a payment to another block, and finality is told of that one; one that it drops is told with the reason', async () => {
  const [kept, lost] = [await signed('kept'), await signed('lost')];
  const final = client.broadcast(kept, { waitFor: 'final' });
  await accepted(await client.transactionId(kept));
  await chain.mine();
  const { block_num: before = 0 } = await fetchStatus(await client.transactionId(kept));
  await chain.fork(1);
  await chain.mine(ROUND);
  const { block_num, expired } = await final;
  assert.ok(block_num >= before && !expired);
  assert.deepEqual(await fetchStatus(await client.transactionId(kept)), { status: 'final', block_num });
  const dropped = client.broadcast(lost, { waitFor: 'final' });
  await accepted(await client.transactionId(lost));
  await chain.fork(1, { keepTransactions: false });
  await assert.rejects(
    dropped,
    (error) => error instanceof NodeRefusal && /^(?:head_reverted|dropped)$/.test(error.code),
  );
  assert.equal((await fetchStatus(await client.transactionId(lost))).status, 'dropped');
});

test('an expiration is told when it is final, and the same may be sent anew then', async () => {
  const trx = await signed('late', 30);
  const id = await client.transactionId(trx);
  const final = client.broadcast(trx, { waitFor: 'final' });
  await accepted(id);
  await chain.jumpAhead(3600);
  assert.equal(await isAnswered(final), false);
  assert.notEqual((await fetchStatus(id, trx.expiration)).status, 'expired');
  await chain.mine(ROUND);
  assert.deepEqual(await final, { id, block_num: -1, trx_num: -1, expired: true });
  assert.deepEqual(await fetchStatus(id, trx.expiration), { status: 'expired' });
});

test('each broadcast takes the three, and refuses a fourth by name', async () => {
  const [key] = [chain.account('alice').key];
  for (const method of [
    'network_broadcast_api.broadcast_transaction',
    'network_broadcast_api.broadcast_transaction_synchronous',
  ] as const) {
    const answers = [];
    for (const wait_for of ['accepted', 'block', 'final'] as const) {
      const trx = await signed(`${method} ${wait_for}`);
      const sent = chain.call(method, { trx, max_block_age: -1, wait_for });
      if (wait_for !== 'accepted') await accepted(await client.transactionId(trx));
      answers.push({ sent, id: await client.transactionId(trx) });
    }
    await chain.mine(ROUND);
    for (const [index, { sent, id }] of answers.entries()) {
      const { block_num = -1, id: told } = await sent;
      assert.equal(block_num > 0, index > 0, method);
      if (index > 0) assert.equal(told, id);
    }
  }
  for (const wait_for of ['accepted', 'block', 'final'] as const) {
    const tx = await signed(`alexandria ${wait_for}`);
    const sent = [
      chain.call('alexandria_api.broadcast_transaction', { tx, wait_for }).then(({ tx: shown }) => shown),
      chain
        .call('alexandria_api.send_and_sign_operation', { op: payment(`signed ${wait_for}`), pk: key, wait_for })
        .then((answer) => answer.signed_tx),
    ];
    if (wait_for !== 'accepted') await accepted(await client.transactionId(tx));
    if (wait_for === 'accepted') await Promise.all(sent);
    await isAnswered(Promise.all(sent));
    await chain.mine(ROUND);
    for (const shown of await Promise.all(sent)) {
      assert.equal(shown.block_num > 0, wait_for !== 'accepted', wait_for);
      assert.equal(shown.operations.length, 1);
    }
  }
  const wrong = { trx: await signed('wrong'), max_block_age: -1, wait_for: 'never' };
  await assert.rejects(
    client.call('network_broadcast_api.broadcast_transaction', Object(wrong)),
    /wait_for: one of accepted, block, final expected, got "never"/,
  );
});
