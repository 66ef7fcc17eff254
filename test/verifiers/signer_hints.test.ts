import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnSigners } from '../../src/verifiers/expected_signers.ts';
import { SignerHints } from '../../src/verifiers/signer_hints.ts';

const [k1, k2, k3] = ['02aa', '02bb', '03cc'].map((key) => key.padEnd(66, '0')) as [string, string, string];
const firm = { name: 'firm', role: 'active', signatures: 2 } as const;

function makeHints(...signings: readonly (readonly (string | undefined)[])[]): SignerHints {
  const hints = new SignerHints();
  for (const signers of signings) hints.learn(firm, signers);
  return hints;
}

test('who signed last time is expected in the same places next time', () => {
  assert.equal(makeHints().guessedKeys(firm), undefined);
  assert.deepEqual(makeHints([k3, k1]).guessedKeys(firm), [k3, k1]);
});

test('another account, role or number of signatures has hints of its own', () => {
  const hints = makeHints([k1, k2]);
  for (const other of [{ name: 'other' }, { role: 'owner' as const }, { signatures: 3 }])
    assert.equal(hints.guessedKeys({ ...firm, ...other }), undefined);
});

test('signatures that nobody can have made are forgotten', () => {
  assert.deepEqual(makeHints([k1, k2], [k1, undefined], []).guessedKeys(firm), [k1, k2]);
});

test('who signs with other keys each time is soon expected no more, and again after as many equal ones', () => {
  const hints = new SignerHints();
  let wrong = 0;
  for (let number = 0; number < 4000; number++) {
    const signers = number % 3 === 2 ? [k2, k3] : [k1, k2];
    const expected = hints.guessedKeys(firm);
    if (expected !== undefined && expected[0] !== signers[0]) wrong++;
    hints.learn(firm, signers);
  }
  assert.ok(wrong <= 2, `${wrong}`);
  for (let number = 0; number < 64; number++) hints.learn(firm, [k1, k3]);
  assert.deepEqual(hints.guessedKeys(firm), [k1, k3]);
});

test('the longest streak of right guesses makes good for old mistakes', () => {
  const hints = makeHints([k1, k2], [k1, k3], ...Array.from({ length: 2000 }, () => [k1, k2]));
  hints.learn(firm, [k2, k3]);
  for (let number = 0; number < 3; number++) hints.learn(firm, [k2, k3]);
  assert.deepEqual(hints.guessedKeys(firm), [k2, k3]);
});

test('hints of ten thousand accounts are remembered, those that were used last', () => {
  const hints = new SignerHints();
  const numbered = (number: number) => ({ ...firm, name: `account${number}` });
  for (let number = 0; number < 10_000; number++) hints.learn(numbered(number), [k1, k2]);
  hints.learn(numbered(0), [k1, k2]);
  hints.learn(numbered(10_000), [k1, k2]);
  assert.deepEqual(
    [0, 1, 2, 10_000].map((number) => hints.guessedKeys(numbered(number)) !== undefined),
    [true, false, true, true],
  );
});

test('of more signatures than are guessed nothing is remembered: a hundred keys would take 10 KiB', () => {
  const hints = new SignerHints();
  const crowd = { ...firm, signatures: 4 };
  hints.learn(crowd, [k1, k2, k3, k1]);
  assert.equal(hints.guessedKeys(crowd), undefined);
});

test('a stranger who signs in the name of an account changes nothing about who is expected', () => {
  const hints = makeHints([k1, k2]);
  const authority = { weight_threshold: 2, account_auths: [], key_auths: [k1, k2, k3].map((key) => [key, 1] as const) };
  const expected = [{ keys: [k1, k2], isCertain: false, authority }];
  const stranger = '02ff'.padEnd(66, '1');
  for (const made of [
    [stranger, k1],
    [stranger, stranger],
    [k1, undefined],
  ])
    learnSigners(hints, [firm], expected, [made]);
  assert.deepEqual(hints.guessedKeys(firm), [k1, k2]);
  learnSigners(hints, [firm], expected, [[k3, k1]]);
  for (let number = 0; number < 3; number++) learnSigners(hints, [firm], expected, [[k1, k3]]);
  assert.deepEqual(hints.guessedKeys(firm), [k3, k1]);
});
