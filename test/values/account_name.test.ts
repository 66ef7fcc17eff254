import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import { base64mDecode, base64mEncode } from '../../src/crypto/base64m.ts';
import {
  accountName,
  canonicalName,
  compareNames,
  isPlainName,
  nameBytes,
  nameFromSeed,
  nameKey,
  nameOfBytes,
} from '../../src/values/account_name.ts';
import { profiles } from '../../src/values/profile.ts';
import { recordedList, recording, recordedText } from '../builders/recordings.ts';

const sdk = recording('vectors-sdk.json');
const encoding = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
} as const;

const lineage = { ...encoding, readsLineage: true } as const;

function written(name: string): string {
  const out = new ByteWriter();
  accountName.write(out, name);
  return Buffer.from(out.view()).toString('hex');
}

for (const vector of recordedList(sdk, 'node.account_names')) {
  const text = recordedText(vector, 'in');
  const recorded =
    typeof vector === 'object' && vector !== null && 'throws' in vector ? undefined : recordedText(vector, 'json');
  test(`${JSON.stringify(text)} denotes ${recorded === undefined ? 'no name' : `the name "${recorded}"`}`, () => {
    assert.equal(canonicalName(text), recorded);
    if (recorded === undefined) {
      for (const reading of [encoding, lineage])
        assert.throws(() => accountName.fromJson(text, reading), { code: 'bad_value' });
      return;
    }
    assert.equal(accountName.fromJson(text, lineage), recorded);
    const hex = recordedText(vector, 'bin');
    assert.equal(written(recorded), hex);
    assert.equal(accountName.read(new ByteReader(Buffer.from(hex, 'hex'))), recorded);
  });
}

test('names have the recorded order, on the disk as well', () => {
  const recorded = recordedList(sdk, 'node.account_name_order').map(String);
  assert.deepEqual(recorded.toReversed().toSorted(compareNames), recorded);
  assert.deepEqual(
    recorded.toReversed().toSorted((a, b) => Buffer.compare(nameBytes(a), nameBytes(b))),
    recorded,
  );
});

for (const vector of [
  ...recordedList(sdk, 'node.account_name_from_seed'),
  ...recordedList(recording('vectors.json'), 'account_names_from_seed'),
]) {
  const seed = recordedText(vector, 'seed');
  test(`the seed ${JSON.stringify(seed)} gives the recorded name`, () =>
    assert.equal(nameFromSeed(seed), recordedText(vector, 'account_name')));
}

test('a seed counts byte by byte, UTF-8 or not', () => {
  const raw = new ByteReader(Uint8Array.of(1, 0xff)).text();
  assert.notEqual(nameFromSeed(raw), nameFromSeed('\u{fffd}'));
});

const looseTexts = fc.string({ unit: fc.constantFrom(...'AAAABZabz09-_+/.= é'), maxLength: 40 });

test('a text denotes what decoding and encoding its base64 gives', () => {
  // Steps 1 to 4 of wire_format.md#lenient-reading-of-names to 3 of 3.3, as they are written there.
  const recoded = (text: string): string | undefined => {
    const padded = text.padEnd(Math.ceil(text.length / 4) * 4, 'A');
    const bytes = base64mDecode(padded).subarray(0, 24);
    const rounded = new Uint8Array(Math.ceil(bytes.length / 3) * 3);
    rounded.set(bytes);
    const name = base64mEncode(rounded).replace(/A+$/, '');
    return name === '' && bytes.length > 0 ? undefined : name;
  };
  fc.assert(
    fc.property(looseTexts, (text) => assert.equal(canonicalName(text), recoded(text))),
    { numRuns: 2000 },
  );
});

test('a canonical name denotes itself and comes back from its bytes', () => {
  fc.assert(
    fc.property(looseTexts, (text) => {
      const name = canonicalName(text);
      if (name === undefined) return;
      assert.equal(canonicalName(name), name);
      assert.equal(nameOfBytes(nameBytes(name)), name);
      const out = new ByteWriter();
      nameKey.write(out, name);
      assert.deepEqual([out.length, nameKey.read(new ByteReader(out.view()))], [24, name]);
      const bytes = new ByteWriter();
      accountName.write(bytes, name);
      assert.equal(accountName.read(new ByteReader(bytes.view())), name);
    }),
  );
});

test('names compare as their bytes do', () => {
  const names = looseTexts.map((text) => canonicalName(text) ?? '');
  fc.assert(
    fc.property(names, names, (a, b) => Math.sign(compareNames(a, b)) === Buffer.compare(nameBytes(a), nameBytes(b))),
  );
});

test('the strict rule takes 3 to 16 characters in plain labels', () => {
  for (const name of ['bob', 'alice', 'a-b', 'initminer', 'abcdefghijklmnop', 'abc.def'])
    assert.ok(isPlainName(name), name);
  for (const name of [
    '',
    'ab',
    'Bob',
    '0bob',
    'bob-',
    'bob_1',
    'abcdefghijklmnopq',
    'abc.d',
    'abc..def',
    '8I1Pt6T2ovPJgEhTaMPP3Qv4uCo',
  ])
    assert.ok(!isPlainName(name), name);
});

test('what is no text is refused', () => {
  for (const json of [1, null, [], {}, true])
    assert.throws(() => accountName.fromJson(json, encoding), { code: 'bad_value' });
});
