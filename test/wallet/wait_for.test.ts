import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Json } from '../../src/codec/json.ts';
import { member } from '../../src/client/chain_of_node.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';
import type { WaitFor } from '../../src/rpc/wait_for.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { describeOutcome } from '../../src/wallet/outcome.ts';
import type { Session } from '../../src/wallet/session.ts';
import { temporaryFolder, writeWallet } from './programs.ts';

const chain = await devChain({ mining: 'none' });
const walletFile = join(temporaryFolder(), 'wallet.json');
await writeWallet(walletFile, chain.account('alice').key);
const sessions: Session[] = [];
after(async () => {
  for (const session of sessions) session.close();
  await chain.stop();
});

async function walletThatWaits(waitFor: WaitFor): Promise<Session> {
  const session = openWallet({
    ...{ maxFee: '1', feeSymbol: '', trustTime: true, yes: true, expirationSeconds: 0, lockAfterMinutes: 0, waitFor },
    ...{ walletFile, server: chain.url, offline: false, chainId: '', profile: 'default' },
    clock: systemClock,
    onIdleLock: () => undefined,
  });
  sessions.push(session);
  await session.wallet.keys.unlock('pw');
  return session;
}

const ARGUMENTS = ['alice', 'bob', '0.000001 COIN', '', true];
const pay = (session: Session, memo: string): Promise<Json> =>
  session.run(session.named('transfer'), [...ARGUMENTS.slice(0, 3), memo, true]);

/** Returns alice's balance once all payments that the node has accepted are made, in millionths. */
async function balanceBehindPending(): Promise<number> {
  const { accounts } = await chain.call('alexandria_api.get_accounts', { account_names: ['alice'], pending: true });
  return Math.round(Number(accounts[0]?.balance.split(' ')[0]) * 1e6);
}

test('a wallet answers when the node has accepted a payment, when its block has come or when that is final, as --wait-for says', async () => {
  const before = await balanceBehindPending();
  const accepted = await pay(await walletThatWaits('accepted'), 'accepted');
  assert.equal(member(accepted, 'block_num'), undefined);
  const id = String(member(accepted, 'transaction_id'));
  const transfer = (await walletThatWaits('accepted')).named('transfer');
  assert.equal(
    describeOutcome(transfer, ARGUMENTS, accepted)?.text,
    `accepted by the node, and in no block yet: find_transaction ${id} says what becomes of it`,
  );
  assert.equal((await chain.call('transaction_status_api.find_transaction', { transaction_id: id })).status, 'pending');
  const waiting = (['block', 'final'] as const).map(
    async (waitFor) => await pay(await walletThatWaits(waitFor), waitFor),
  );
  const [block = assert.fail(), final = assert.fail()] = waiting;
  let isFinal = false;
  void final.then(() => (isFinal = true));
  // Three payments of 0.000001 and their fees.
  while (before - (await balanceBehindPending()) < 3 * 10_001) await new Promise(setImmediate);
  await chain.mine();
  const number = Number(member(await block, 'block_num'));
  for (let tick = 0; tick < 100; tick++) await new Promise(setImmediate);
  assert.equal(isFinal, false);
  await chain.mine(60);
  const sent = await final;
  assert.equal(member(sent, 'block_num'), number);
  const session = await walletThatWaits('block');
  const found = await session.run(session.named('find_transaction'), [member(sent, 'transaction_id') ?? null]);
  assert.deepEqual(found, { status: 'final', block_num: number });
});
