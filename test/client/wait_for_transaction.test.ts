import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NodeSilent, NodeTimeout } from '../../src/client/answer.ts';
import { Refusal, type TransactionStanding } from '../../src/client/index.ts';
import { waitForTransaction } from '../../src/client/wait_for_transaction.ts';
import { devChain, type DevAccount } from '../../src/dev_chain/dev_chain.ts';
import { HandClock } from '../builders/hand_clock.ts';

const chain = await devChain({ mining: 'none' });
after(async () => await chain.stop());
const { client } = chain;
const alice: DevAccount = chain.accounts['alice'] ?? assert.fail();

const aliceToBob = (amount: string, memo: string) => ['transfer', { from: 'alice', to: 'bob', amount, memo }] as const;

test('simulate says what operations would do, and sends nothing', async () => {
  const unsigned = await client.simulate([aliceToBob('1 COIN', 'tried')]);
  assert.equal(unsigned.missing_signatures[0]?.account, 'alice');
  assert.notEqual(unsigned.refusal, null);
  assert.equal(unsigned.refusal_when_signed, null);
  const signed = await client.simulate([aliceToBob('1 COIN', 'tried')], { keys: [alice.key] });
  assert.equal(signed.refusal, null);
  assert.deepEqual(
    signed.balances.filter(({ account }) => account === 'bob').map(({ change }) => change),
    ['1.000000 COIN'],
  );
  const status = await client.findTransaction({ transaction_id: signed.transaction_id });
  assert.equal(status.status, 'unknown');
});

test('simulate has the error that sending would have, and takes the options of a call', async () => {
  const { refusal } = await client.simulate([aliceToBob('1000000000 COIN', 'too much')], { keys: [alice.key] });
  assert.equal(refusal?.data['name'], 'insufficient_funds');
  await assert.rejects(client.simulate([aliceToBob('1 COIN', '')], { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
});

test('a transaction is waited for until it is pending, or in a block', async () => {
  const signed = await client.sign(await client.build([aliceToBob('1 COIN', 'waited for')]), [alice.key]);
  const id = await client.transactionId(signed);
  const accepted = client.waitForTransaction(id, { waitFor: 'accepted' });
  await client.broadcast(signed, { waitFor: 'accepted' });
  assert.equal((await accepted).status, 'pending');
  const waiting = client.waitForTransaction(id);
  await client.call('debug_api.produce_blocks', { count: 1 });
  const { status, block_num } = await waiting;
  assert.ok(status === 'in_block' || status === 'final', status);
  assert.equal(typeof block_num, 'number');
});

test('a signal ends the wait', async () => {
  const stop = new AbortController();
  const waiting = client.waitForTransaction('00'.repeat(20), { signal: stop.signal });
  stop.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});

/** Waits on a clock that runs when nothing else happens, for what a node says one after the other. */
async function waited(
  answers: readonly (TransactionStanding | Error)[],
  options: Parameters<typeof waitForTransaction>[2],
): Promise<{ readonly found: TransactionStanding; readonly asked: number }> {
  const clock = new HandClock(0);
  let asked = 0;
  const waiting = waitForTransaction(
    async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? assert.fail();
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(answer);
    },
    clock,
    options,
  );
  const state = { isOver: false };
  void waiting.catch(() => undefined).finally(() => (state.isOver = true));
  while (!state.isOver) {
    await new Promise(setImmediate);
    clock.pass(100);
  }
  return { found: await waiting, asked };
}

const [unknown, pending, placed, final, dropped] = [
  { status: 'unknown' },
  { status: 'pending' },
  { status: 'in_block', block_num: 7 },
  { status: 'final', block_num: 7 },
  { status: 'dropped', reason: { name: 'too_busy', message: 'busy' } },
] as const satisfies readonly TransactionStanding[];
const silent = new NodeSilent('away', true);

test('finality is waited for on request, and what gets nowhere any more ends the wait', async () => {
  assert.deepEqual(await waited([unknown, pending, placed, final], { waitFor: 'final' }), { found: final, asked: 4 });
  assert.deepEqual(await waited([unknown, pending, placed, final], {}), { found: placed, asked: 3 });
  assert.deepEqual(await waited([pending, dropped], { waitFor: 'final' }), { found: dropped, asked: 2 });
});

test('a node that is away is asked again, but not one that was never there', async () => {
  assert.deepEqual(await waited([pending, silent, silent, placed], {}), { found: placed, asked: 4 });
  await assert.rejects(waited([silent, placed], {}), (error) => error === silent);
  const refused = new Refusal('no', 'no');
  await assert.rejects(waited([pending, refused], {}), (error) => error === refused);
});

test('when the time is over, the error says that the transaction may still come', async () => {
  await assert.rejects(
    waited([pending], { timeoutMs: 3000 }),
    (error) => error instanceof NodeTimeout && error.message.startsWith('the transaction is pending after 3000 ms'),
  );
  await assert.rejects(
    waited([pending], { timeoutMs: 0 }),
    (error) => error instanceof Refusal && error.code === 'bad_timeout',
  );
});
