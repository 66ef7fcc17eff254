import assert from 'node:assert/strict';
import { test } from 'node:test';

import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import { checkpoint, checkpointText, parseCheckpoint, type Checkpoint } from '../../src/values/checkpoint.ts';
import { RandomSource } from '../builders/random_source.ts';

const random = new RandomSource(7);
const digits = (count: number): string =>
  Array.from({ length: count }, () => random.pick([...'0123456789abcdef'])).join('');

function randomCheckpoint(): Checkpoint {
  const number = random.pick([0, 1, 51, random.roll(2 ** 31), 0xffff_ffff]);
  const id = number.toString(16).padStart(8, '0') + digits(32);
  return { number, id, voters: digits(64), time: random.roll(2 ** 32) };
}

test('a checkpoint is read as it was written', () => {
  for (let run = 0; run < 300; run++) {
    const value = randomCheckpoint();
    const text = checkpointText(value);
    assert.deepEqual(parseCheckpoint(text), value);
    assert.equal(checkpoint.toJson(value, neutralEncoding), text);
    assert.deepEqual(checkpoint.fromJson(text, neutralEncoding), value);
  }
  const [number, id, voters] = [51, `00000033${'a'.repeat(32)}`, 'b'.repeat(64)];
  assert.equal(
    checkpointText({ ...{ number, id, voters }, time: 1_795_754_400 }),
    `51:${id}:${voters}:20261127T044000Z`,
  );
});

test('no other text is a checkpoint', () => {
  const id = `00000033${'a'.repeat(32)}`;
  const voters = 'b'.repeat(64);
  const right = `51:${id}:${voters}:20261127T044000Z`;
  assert.notEqual(parseCheckpoint(right), undefined);
  for (const wrong of [
    ...['', ':::', `51:${id}`, `51:${id}:${voters}`, `52:${id}:${voters}:20261127T044000Z`],
    ...[`051:${id}:${voters}:20261127T044000Z`, `51:${id}:${voters}:20261127T044000`],
    ...[`51:${id}:${voters}:2026-11-27T04:40:00Z`, `51:${id}:${voters}:20261131T044000Z`],
    ...[right.toUpperCase(), ` ${right}`, `${right}\n`, `${right}:`, right.replace('b', 'g')],
  ])
    assert.equal(parseCheckpoint(wrong), undefined, wrong);
  assert.throws(
    () => checkpoint.fromJson('51', neutralEncoding),
    /a checkpoint NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME expected/,
  );
});
