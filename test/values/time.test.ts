import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { profiles } from '../../src/values/profile.ts';
import { ByteWriter } from '../../src/codec/bytes.ts';
import { NEVER } from '../../src/values/limits.ts';
import { parseTime, addSeconds, time, timeText } from '../../src/values/time.ts';
import { times } from '../builders/described_json.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';

const encoding = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
} as const;

for (const vector of recordedList(recording('vectors-sdk.json'), 'node.times')) {
  const text = recordedText(vector, 'in');
  const isRefused = typeof vector === 'object' && vector !== null && 'error' in vector;
  test(`${text} is ${isRefused && !text.endsWith('Z') ? 'no time' : 'the recorded time'}`, () => {
    if (isRefused && text.endsWith('Z')) {
      // Programs of today write it so.
      assert.equal(time.fromJson(text, encoding), time.fromJson(text.slice(0, -1), encoding));
      return;
    }
    if (isRefused) {
      assert.throws(() => time.fromJson(text, encoding), { code: 'bad_value' });
      return;
    }
    const seconds = Number(member(vector, 'sec'));
    assert.equal(time.fromJson(text, encoding), seconds);
    assert.equal(timeText(seconds), recordedText(vector, 'out'));
  });
}

test('a time may have a fraction of any length, Z, both or neither', () => {
  const second = time.fromJson('2026-11-22T09:08:07', encoding);
  for (const end of ['Z', '.', '.0', '.5', '.123456789012345678', '.123456Z', '.Z']) {
    assert.equal(time.fromJson(`2026-11-22T09:08:07${end}`, encoding), second, end);
  }
  for (const end of ['z', ' Z', '+00:00', 'ZZ', ',5', '.5a']) {
    assert.throws(() => time.fromJson(`2026-11-22T09:08:07${end}`, encoding), { code: 'bad_value' }, end);
  }
});

test('every second is written as the platform’s calendar writes it, and read back', () => {
  fc.assert(
    fc.property(times(), (seconds) => {
      const text = timeText(seconds);
      assert.equal(text, new Date(seconds * 1000).toISOString().slice(0, 19));
      assert.equal(parseTime(text), seconds);
    }),
    { numRuns: 1000 },
  );
});

test('days, hours and years that do not exist are refused', () => {
  const wrong = [
    '2021-02-29',
    '2100-02-29',
    '2000-13-01',
    '2000-00-01',
    '2000-01-00',
    '2000-04-31',
    '1969-12-31',
    '2106-02-08',
  ].map((day) => `${day}T00:00:00`);
  for (const text of [
    ...wrong,
    '2000-01-01T24:00:00',
    '2000-01-01T00:60:00',
    '2000-01-01T00:00:60',
    '2106-02-07T06:28:16',
  ])
    assert.equal(parseTime(text), undefined, text);
  assert.equal(parseTime('2000-02-29T00:00:00'), 951_782_400);
});

test('what is no text is refused', () => {
  for (const json of [0, null, {}, true]) assert.throws(() => time.fromJson(json, encoding), { code: 'bad_value' });
});

test('a time behind the last that 32 bits hold is refused, not written as one of 1970', () => {
  const out = new ByteWriter();
  time.write(out, NEVER);
  assert.throws(() => time.write(out, NEVER + 1), { code: 'time_over' });
  assert.equal(out.length, 4);
  assert.equal(addSeconds(NEVER - 11, 10), NEVER - 1);
  assert.throws(() => addSeconds(NEVER - 10, 10), { code: 'time_over', message: /2106-02-07T06:28:15/ });
});
