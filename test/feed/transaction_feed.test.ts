import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { pendingChange } from '../../src/feed/pending_change.ts';
import { TransactionFeed, type AcceptedMessage, type PendingMessage } from '../../src/feed/transaction_feed.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';

const parameters = testParameters();
const chain = openChain(parameters);
produce(chain);
const transfer = (memo: string): VerifiedTransaction =>
  makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1_000_000, memo)], ['alice']);
const [first, second] = [transfer('a'), transfer('b')];
const reason = { name: 'expires_too_soon', message: 'it does' };

test('what is accepted comes to all, what is dropped to the watcher alone, whole and with its reason', () => {
  const feed = new TransactionFeed();
  const [plain, watched]: [AcceptedMessage[], PendingMessage[]] = [[], []];
  feed.add((message) => void plain.push(message));
  feed.addWatcher((message) => void watched.push(message));
  feed.watch(true);
  feed.publish([first, second]);
  feed.drop(first, reason);
  feed.drop(second, undefined);
  assert.equal(watched.length, 1);
  feed.flush();
  feed.flush();
  assert.deepEqual(
    plain.map(({ kind }) => kind),
    ['accepted'],
  );
  const [accepted, dropped] = watched.map(pendingChange);
  assert.ok(accepted?.kind === 'accepted' && dropped?.kind === 'dropped');
  for (const { transactions } of [accepted, dropped])
    assert.deepEqual(
      transactions.map(({ id, packed }) => [id, Buffer.from(packed)]),
      [first, second].map(({ id, packed }) => [id, Buffer.from(packed)]),
    );
  assert.deepEqual(dropped.reasons, [reason, undefined]);
});

test('while nobody watches nothing is told or kept, and nothing of it later', () => {
  const feed = new TransactionFeed();
  const watched: PendingMessage[] = [];
  feed.addWatcher((message) => void watched.push(message));
  assert.equal(feed.isFollowed, false);
  feed.publish([first]);
  feed.drop(first, reason);
  feed.watch(true);
  assert.equal(feed.isFollowed, true);
  feed.drop(second, reason);
  feed.watch(false);
  feed.watch(true);
  feed.flush();
  assert.deepEqual(watched, []);
});

test('a flood of drops is told in pieces, and of what the watcher does not take only the number', () => {
  const feed = new TransactionFeed();
  const watched: PendingMessage[] = [];
  const taken = feed.addWatcher((message) => void watched.push(message));
  feed.watch(true);
  for (let k = 0; k < 70 * 1024; k++) feed.drop(first, reason);
  feed.flush();
  assert.ok(watched.length > 1 && watched.length <= 64);
  const told = watched.length * 1024;
  for (let k = watched.length; k > 0; k--) taken();
  assert.deepEqual(watched.at(-1), { kind: 'missed', count: 70 * 1024 - told });
});
