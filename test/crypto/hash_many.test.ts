import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sha256Many, sha256Pieces } from '../../src/crypto/hash_many.ts';
import { RandomSource } from '../builders/random_source.ts';

const digests = (messages: readonly Uint8Array[]): string =>
  messages.map((message) => createHash('sha256').update(message).digest('hex')).join('');
const randomBytes = (random: RandomSource, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.roll(256));
const digits = (hashes: Uint8Array): string => Buffer.from(hashes).toString('hex');

test('messages of every length up to four blocks have the hashes that Node gives them, whatever stands beside them', () => {
  const random = new RandomSource(1);
  const messages = Array.from({ length: 260 }, (_, length) => randomBytes(random, length));
  assert.equal(digits(sha256Many(messages)), digests(messages));
  for (let round = 0; round < 50; round++) {
    const mixed = messages.filter(() => random.chance(10));
    assert.equal(digits(sha256Many(mixed)), digests(mixed), `round ${round}`);
  }
});

test('any number of messages is hashed, and messages of more than the memory holds', () => {
  const random = new RandomSource(2);
  for (const sizes of [[], [70_000], [1, 65_534, 2, 65_535, 3], Array.from({ length: 3_000 }, () => 40)]) {
    const messages = sizes.map((size) => randomBytes(random, size));
    assert.equal(digits(sha256Many(messages)), digests(messages), `${sizes.length} messages`);
  }
});

test('pieces are hashed behind the byte of their kind', () => {
  const random = new RandomSource(3);
  for (const [length, count] of [
    [32, 1],
    [64, 5],
    [55, 1_200],
    [119, 2_100],
  ] as const) {
    const pieces = randomBytes(random, length * count);
    const each = Array.from({ length: count }, (_, index) =>
      Buffer.concat([Uint8Array.of(7), pieces.subarray(index * length, (index + 1) * length)]),
    );
    assert.equal(digits(sha256Pieces(7, pieces, length)), digests(each), `${count} of ${length} bytes`);
  }
});
