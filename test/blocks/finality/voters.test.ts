import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochBoundary, nextEpoch, epochNumber } from '../../../src/blocks/finality/epochs.ts';
import { isMoreThanThird, quorumSize, epochVoters } from '../../../src/blocks/finality/voters.ts';
import { sha256Hex } from '../../../src/crypto/hashes.ts';
import { NULL_KEY } from '../../../src/values/public_key.ts';

const CHAIN = 'ab'.repeat(32);
const key = (number: number): string => `02${number.toString(16).padStart(64, '0')}`;
const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => key(index));

test('an epoch is a round, its boundary the last block of it, and the next one begins when that is final', () => {
  const numbers = [1, 50, 51, 52, 102, 103];
  assert.deepEqual(
    numbers.map((number) => epochNumber(number, 51)),
    [0, 0, 0, 1, 1, 2],
  );
  assert.deepEqual(
    [0, 50, 51, 101, 102].map((final) => nextEpoch(final, 51)),
    [0, 0, 1, 1, 2],
  );
  for (const epoch of [0, 1, 7]) {
    assert.equal(epochNumber(epochBoundary(epoch, 51), 51), epoch);
    assert.equal(epochNumber(epochBoundary(epoch, 51) + 1, 51), epoch + 1);
    assert.equal(nextEpoch(epochBoundary(epoch, 51), 51), epoch + 1);
  }
});

test('voters are the distinct keys in ascending order: blanks are none, and two names with one key are one voter', () => {
  const { keys: voting } = epochVoters(CHAIN, 3, [key(9), NULL_KEY, key(2), key(9), key(5), NULL_KEY]);
  assert.deepEqual(voting, [key(2), key(5), key(9)]);
});

test('the digest covers chain, epoch and keys, each byte of which is as described', () => {
  const { digest } = epochVoters(CHAIN, 3, [key(2), key(5)]);
  const bytes = Buffer.concat([
    Buffer.from('pharos voters'),
    Buffer.from(CHAIN, 'hex'),
    Buffer.from([3, 0, 0, 0, 2]),
    Buffer.from(key(2) + key(5), 'hex'),
  ]);
  assert.equal(digest, sha256Hex(bytes));
  const others = [
    epochVoters('cd'.repeat(32), 3, [key(2), key(5)]),
    epochVoters(CHAIN, 4, [key(2), key(5)]),
    epochVoters(CHAIN, 3, [key(2)]),
  ];
  for (const other of others) assert.notEqual(other.digest, digest);
  assert.equal(
    epochVoters(CHAIN, 3, [key(5), NULL_KEY, key(2), key(2)]).digest,
    digest,
    'the order in the round makes no difference',
  );
});

test('two quorums have more than a third of the voters in common, and a quorum needs all of three or fewer', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 7, 21, 51].map((count) => quorumSize({ keys: keys(count) })),
    [1, 2, 3, 3, 5, 15, 35],
  );
  for (let count = 1; count <= 255; count++) {
    const voters = { keys: keys(count) };
    const quorum = quorumSize(voters);
    assert.ok(quorum <= count);
    assert.ok(isMoreThanThird(2 * quorum - count, voters), `${count} voters`);
    assert.ok(!isMoreThanThird(Math.trunc(count / 3), voters) && isMoreThanThird(Math.trunc(count / 3) + 1, voters));
  }
});
