import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../../../src/base/refusal.ts';
import type { SignedTransaction } from '../../../../src/blocks/transaction.ts';
import { checkBatch } from '../../../../src/node/threads/writer/accept_batch.ts';
import type { CheckFindings } from '../../../../src/verifiers/check_findings.ts';
import { encodeVerifiedBatch } from '../../../../src/blocks/verified_batch.ts';
import { TransactionChecks } from '../../../../src/node/threads/broadcasts/transaction_checks.ts';
import { sentRefusal } from '../../../../src/system/sent_refusal.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../../../builders/chain.ts';

const parameters = testParameters();
const chain = openChain(parameters);
produce(chain);
const verified = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice']);
const batch = encodeVerifiedBatch([{ ticket: 0, verified }]);

/** Checks on this chain; `findings` is what the verifier finds. */
function makeChecks(findings: () => Promise<CheckFindings>): {
  readonly checks: TransactionChecks;
  readonly asked: () => number;
  readonly atOnce: () => number;
} {
  let [asked, running, atOnce] = [0, 0, 0];
  const checks = new TransactionChecks({ verifyForCheck: findings }, async () => {
    asked++;
    atOnce = Math.max(atOnce, ++running);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    running--;
    return checkBatch(chain, batch);
  });
  return { checks, asked: () => asked, atOnce: () => atOnce };
}

const { transaction }: { transaction: SignedTransaction } = verified;

test('checks go to the writer one at a time, in order, however many wait', async () => {
  const { checks, asked, atOnce } = makeChecks(() => Promise.resolve({ verified: batch, refusal: undefined }));
  const done: number[] = [];
  const all = Array.from({ length: 300 }, async (_, k) => {
    const { refusal } = await checks.check(transaction);
    done.push(k);
    return refusal;
  });
  assert.deepEqual(new Set(await Promise.all(all)), new Set([undefined]));
  assert.deepEqual(
    done,
    all.map((_, k) => k),
  );
  assert.deepEqual([asked(), atOnce()], [300, 1]);
});

test('what a verifier refuses comes first, and then no balance is told', async () => {
  const refusal = sentRefusal(new Refusal('memo_is_owner_key', 'the memo is a key'));
  const { checks } = makeChecks(() => Promise.resolve({ verified: batch, refusal }));
  const check = await checks.check(transaction);
  assert.deepEqual(
    [check.refusal?.code, check.refusalWhenSigned?.code, check.balances],
    ['memo_is_owner_key', 'memo_is_owner_key', []],
  );
});

test('a check that fails for another reason fails alone', async () => {
  let fails = true;
  const { checks } = makeChecks(() =>
    fails ? Promise.reject(new Error('no thread')) : Promise.resolve({ verified: batch, refusal: undefined }),
  );
  await assert.rejects(checks.check(transaction), /no thread/);
  fails = false;
  assert.equal((await checks.check(transaction)).refusal, undefined);
  const { failure, value } = checkBatch({ check: () => assert.fail('nobody foresaw this') }, batch);
  assert.deepEqual([failure?.code, value], ['internal_error', undefined]);
  const before = chain.head;
  assert.deepEqual(
    [checkBatch(chain, batch).value?.refusal, chain.head, chain.pendingTransactions],
    [undefined, before, []],
  );
});
