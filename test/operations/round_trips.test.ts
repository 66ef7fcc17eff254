import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { operationCodec, operationKinds } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { profiles } from '../../src/values/profile.ts';
import { describedJson } from '../builders/described_json.ts';

const profile = present(profiles['default'], 'the default profile');
const lineage = present(profiles['lineage'], 'the lineage profile');

const encodings: Readonly<Record<string, EncodingOptions>> = {
  'the default dialect, pairs': { ...profile, dialect: 'default', operationForm: 'pair' },
  'the default dialect, typed': { ...profile, dialect: 'default', operationForm: 'typed' },
  'the legacy dialect of the lineage': { ...lineage, dialect: 'legacy', operationForm: 'pair' },
};

function encodeOperation(operation: Operation): Uint8Array {
  const out = new ByteWriter();
  operationCodec.write(out, operation);
  return out.finish();
}

for (const kind of Object.values(operationKinds)) {
  for (const [title, encoding] of Object.entries(encodings)) {
    test(`${kind.name}: what its description allows is read, and comes back from bytes and JSON in ${title}`, () => {
      fc.assert(
        fc.property(describedJson(kind.describe(encoding), encoding), (body) => {
          const operation = operationCodec.fromJson([kind.name, body], encoding);
          const bytes = encodeOperation(operation);
          const input = new ByteReader(bytes);
          assert.deepEqual(operationCodec.read(input).body, operation.body);
          input.expectEnd();
          const again = operationCodec.fromJson(operationCodec.toJson(operation, encoding), encoding);
          assert.deepEqual(again.body, operation.body);
          assert.deepEqual(encodeOperation(again), bytes);
        }),
        { numRuns: 40 },
      );
    });
  }

  test(`${kind.name}: bytes that are cut short or go on are refused`, () => {
    const { 'the default dialect, pairs': encoding } = encodings;
    const whole = encodeOperation(kind.initial(present(encoding, 'a notation')));
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => operationCodec.read(new ByteReader(whole.subarray(0, length))), Refusal);
    }
  });

  test(`${kind.name}: any bytes are read to an operation of the same bytes, or refused`, () => {
    const number = encodeOperation(kind.initial({ ...profile, dialect: 'default', operationForm: 'pair' }))[0] ?? 0;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 120 }), (tail) => {
        const operation = readOrRefuse(Uint8Array.of(number, ...tail));
        if (operation === undefined) return;
        // Sets come out sorted and counts in their shortest form; what comes out is then the only form.
        const bytes = encodeOperation(operation);
        assert.deepEqual(encodeOperation(operationCodec.read(new ByteReader(bytes))), bytes);
      }),
      { numRuns: 60 },
    );
  });
}

function readOrRefuse(bytes: Uint8Array): Operation | undefined {
  try {
    return operationCodec.read(new ByteReader(bytes));
  } catch (refusal) {
    assert.ok(refusal instanceof Refusal, String(refusal));
    return undefined;
  }
}
