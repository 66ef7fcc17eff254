import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { exitCodes } from '../../src/base/exit_codes.ts';
import { NodeNonsense, NodeSilent } from '../../src/client/answer.ts';
import { NodeRefusal } from '../../src/client/node_refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';
import { refuseCall } from '../../src/jsonrpc/envelope/errors.ts';
import { broadcastTransaction } from '../../src/rpc/alexandria_api/broadcast_transaction.ts';
import { leavesOutcomeOpen } from '../../src/rpc/broadcast_refusals.ts';
import { failureExitCode } from '../../src/wallet/failure.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import type { Session } from '../../src/wallet/session.ts';
import { makeWorlds } from '../client/verified/lies.ts';
import { temporaryFolder, writeWallet } from './programs.ts';

// The wallet has sent a payment, and the node answers with an error.

const chain = await devChain({ mining: 'none' });
const sessions: Session[] = [];
after(async () => {
  for (const session of sessions) session.close();
  await chain.stop();
});

async function openSession(checkpoint = ''): Promise<Session> {
  const walletFile = join(temporaryFolder(), 'wallet.json');
  await writeWallet(walletFile, chain.account('alice').key);
  const session = openWallet({
    ...{
      maxFee: '1',
      feeSymbol: '',
      trustTime: true,
      yes: true,
      expirationSeconds: 0,
      lockAfterMinutes: 0,
      checkpoint,
    },
    ...{ walletFile, server: chain.url, offline: false, chainId: '', profile: 'default' },
    clock: systemClock,
    onIdleLock: () => undefined,
  });
  sessions.push(session);
  await session.wallet.keys.unlock('pw');
  return session;
}

const session = await openSession();

/** The error of a payment whose broadcast the node answers in this way. */
async function failedPayment(
  t: TestContext,
  answer: () => Json,
  { wallet, run, named } = bound(session),
): Promise<unknown> {
  const broadcast = t.mock.method(wallet.node, 'broadcast', async () => await Promise.resolve(answer()));
  try {
    return await run(named('transfer'), ['alice', 'bob', '0.000001 COIN', '', true]).then(
      () => assert.fail('the payment has not failed'),
      (error: unknown) => error,
    );
  } finally {
    broadcast.mock.restore();
  }
}

function bound(of: Session): Pick<Session, 'wallet' | 'run' | 'named'> {
  return { wallet: of.wallet, run: of.run.bind(of), named: of.named.bind(of) };
}

/** Errors that a node makes before it accepts a transaction, or once no block can take it. */
const SETTLED = [
  ...['transaction_too_big', 'too_many_broadcasts', 'too_many_waiting', 'transaction_expired'],
  ...['private_keys_not_allowed', 'operator_only', 'too_busy', 'rate_exceeded', 'batch_rate_exceeded'],
  ...['batch_too_heavy', 'bad_min_head', 'head_out_of_reach', 'head_not_reached', 'head_undone'],
  'head_of_another_branch',
];

const declared = [...Object.keys(broadcastTransaction.refuses), ...Object.keys(refuseCall.texts), 'internal_error'];
const isOpen = (code: string): boolean => leavesOutcomeOpen({ code, details: {} });

function assertOpen(error: unknown, label: string): void {
  assert.ok(error instanceof NodeSilent && error.wasSent, `${label}: ${String(error)}`);
  const id = /Transaction ([0-9a-f]{40}) was sent and may be in a block/.exec(error.message)?.[1] ?? assert.fail(label);
  assert.ok(error.message.endsWith(`ask get_transaction ${id} before you repeat it`), error.message);
  assert.equal(failureExitCode(error), exitCodes.failed);
}

test('each error that a broadcast declares settles the outcome, or leaves it open', () => {
  const open = declared.filter(isOpen);
  assert.deepEqual([...open, ...SETTLED].toSorted(), declared.toSorted());
  assert.ok(
    ['stopping', 'dropped', 'not_final', 'still_waiting'].every((code) => open.includes(code)),
    String(open),
  );
});

test('an error that may follow an accepted payment says that its outcome is not known, with its id and what to ask', async (t) => {
  for (const code of declared.filter(isOpen)) {
    const refused = new NodeRefusal(code, `the node says ${code}`);
    const error = await failedPayment(t, () => {
      throw refused;
    });
    assertOpen(error, code);
    assert.match(String(error), new RegExp(`: the node says ${code}\\. Transaction`));
  }
});

test('so does the reason for which a node has dropped an accepted payment, and an answer that nobody can read', async (t) => {
  const dropped = new NodeRefusal('insufficient_balance', 'alice has nothing left', {
    details: { dropped_transaction: 'ab'.repeat(20) },
  });
  for (const cause of [dropped, new NodeNonsense('no JSON')]) {
    const error = await failedPayment(t, () => {
      throw cause;
    });
    assertOpen(error, cause.message);
  }
});

test('an error that settles the outcome is shown as it is', async (t) => {
  for (const code of [...SETTLED, 'insufficient_balance', 'duplicate_transaction']) {
    const refused = new NodeRefusal(code, `the node says ${code}`);
    const error = await failedPayment(t, () => {
      throw refused;
    });
    assert.equal(error, refused);
    assert.equal(failureExitCode(error), exitCodes.refused);
  }
});

const { honest } = makeWorlds(Math.trunc(Date.now() / 1000));
const careful = bound(await openSession(honest.checkpoint(8)));

test('a payment that the node calls final and nothing proves is named by its id', async (t) => {
  const error = await failedPayment(t, () => ({ block_num: 7, transaction_num: 0 }), careful);
  assertOpen(error, 'no proof');
});

test('a proven payment is named by its id when the newest final block can not be shown behind it', async (t) => {
  const proofs = careful.wallet.node.proofs ?? assert.fail('a wallet with a checkpoint has proofs');
  t.mock.method(proofs, 'requireFinal', async () => await Promise.resolve());
  t.mock.method(proofs, 'report', async () => await Promise.reject(new NodeSilent('nobody answers', true)));
  const error = await failedPayment(t, () => ({ block_num: 7, transaction_num: 0 }), careful);
  assert.match(String(error), /: nobody answers\. Transaction [0-9a-f]{40} was sent before: ask get_transaction /);
  assert.equal(failureExitCode(error), exitCodes.failed);
});
