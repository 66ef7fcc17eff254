import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ByteWriter } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { PlainJson } from '../../src/codec/plain_json.ts';
import { operationCodec, operationKinds } from '../../src/operations/index.ts';
import { profiles } from '../../src/values/profile.ts';
import { describedJson } from '../builders/described_json.ts';

const profile = present(profiles['default'], 'the default profile');
const lineage = present(profiles['lineage'], 'the lineage profile');

const encodings: Readonly<Record<string, EncodingOptions>> = {
  'the default dialect': { ...profile, dialect: 'default', operationForm: 'pair' },
  'the legacy dialect of the lineage': { ...lineage, dialect: 'legacy', operationForm: 'pair' },
};

/** The bytes that a text is copied to; undefined when it is not plain. */
function copied(text: Uint8Array, encoding: EncodingOptions): string | undefined {
  const from = new PlainJson(text);
  const out = new ByteWriter();
  const isCopied = operationCodec.fromJson.copy?.(from, out, encoding) === true && from.ends();
  return isCopied ? Buffer.from(out.view()).toString('hex') : undefined;
}

/** The bytes of what a text is read to; undefined when it is refused. */
function read(text: Uint8Array, encoding: EncodingOptions): string | undefined {
  const out = new ByteWriter();
  try {
    operationCodec.write(out, operationCodec.fromJson(readJson(text), encoding));
  } catch (refusal) {
    assert.ok(refusal instanceof Refusal, String(refusal));
    return undefined;
  }
  return Buffer.from(out.view()).toString('hex');
}

/** Small mistakes and other spellings, from which right and wrong texts come. */
const edits = fc.array(
  fc.record({
    at: fc.nat(),
    cut: fc.nat(2),
    put: fc.constantFrom(...'{}[]":,. \n0123456789-+eEAaZ_\\u\u00e9', '00', '""', 'null'),
  }),
  {
    maxLength: 2,
  },
);

for (const kind of Object.values(operationKinds)) {
  for (const [title, encoding] of Object.entries(encodings)) {
    test(`${kind.name}: what is copied in ${title}, and what is left of it after small mistakes, has the bytes that reading gives`, () => {
      fc.assert(
        fc.property(describedJson(kind.describe(encoding), encoding), edits, (body, changes) => {
          let text = writeJson([kind.name, body]);
          for (const { at, cut, put } of changes) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + put + text.slice(place + cut);
          }
          const bytes = Buffer.from(text);
          const plain = copied(bytes, encoding);
          if (plain !== undefined) assert.equal(plain, read(bytes, encoding), text);
        }),
        { numRuns: 150 },
      );
    });
  }
}

const { 'the default dialect': encoding } = encodings;

/** Operations as clients write them. */
const plain: readonly Json[] = [
  ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob_-', amount: '12345.000001 COIN', memo: 'hello' }],
  ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }],
  ['account_witness_vote_operation', { fee: '0.000000 COIN', account: 'alice', witness: 'bob', approve: false }],
  ['custom_json', { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json: '{"a":["é\n"]}' }],
];

for (const json of plain) {
  const text = writeJson(json);
  const expected = read(Buffer.from(text), present(encoding, 'a notation'));
  test(`${text} is copied`, () => {
    assert.notEqual(expected, undefined);
    assert.equal(copied(Buffer.from(text), present(encoding, 'a notation')), expected);
  });
}

/** The same value with the members of each of its objects in another order. */
function reordered(json: Json, order: () => number): Json {
  if (Array.isArray(json)) return json.map((item) => reordered(item, order));
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).map(([name, value]) => [order(), name, reordered(value, order)] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => a - b).map(([, name, value]) => [name, value]));
}

for (const kind of Object.values(operationKinds)) {
  test(`${kind.name}: what is copied with its members in their order is copied in any order, to the same bytes`, () => {
    const described = describedJson(kind.describe(present(encoding, 'a notation')), present(encoding, 'a notation'));
    fc.assert(
      fc.property(described, fc.infiniteStream(fc.nat(1000)), fc.boolean(), (body, numbers, isTyped) => {
        const order = (): number => numbers.next().value ?? 0;
        const inOrder = copied(Buffer.from(writeJson([kind.name, body])), present(encoding, 'a notation'));
        const shuffled = reordered(body, order);
        const other = isTyped ? { type: `${kind.name}_operation`, value: shuffled } : [kind.name, shuffled];
        const text = Buffer.from(writeJson(other));
        assert.equal(copied(text, present(encoding, 'a notation')), inOrder, text.toString());
        if (inOrder !== undefined) assert.equal(inOrder, read(text, present(encoding, 'a notation')));
      }),
      { numRuns: 100 },
    );
  });
}

test('amounts as objects are copied, and members in any order', () => {
  const amounts = ['"1.000000 COIN"', '{"amount":"1.000000","symbol":"COIN"}', '{"symbol":"COIN","amount":"1.000000"}'];
  for (const amount of amounts) {
    const text = Buffer.from(`["transfer",{"memo":"","to":"bob","amount":${amount},"from":"alice"}]`);
    assert.equal(copied(text, present(encoding, 'a notation')), read(text, present(encoding, 'a notation')));
    assert.notEqual(copied(text, present(encoding, 'a notation')), undefined, amount);
  }
});
