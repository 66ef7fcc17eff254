import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { operationCodec, operationKindNamed, operationKinds, operationNumber } from '../../src/operations/index.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { profiles } from '../../src/values/profile.ts';

/** The number of the next kind. */
const UNKNOWN = Object.keys(operationKinds).length;

const pair: EncodingOptions = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
};
const typed: EncodingOptions = { ...pair, operationForm: 'typed' };
const body = { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' };
const whole = { fee: '0.000000 COIN', ...body };

test('both forms are read in every dialect, with and without the ending of the name, or by number', () => {
  const forms: Json[] = [
    ['transfer', body],
    ['transfer_operation', body],
    [0, body],
    { type: 'transfer_operation', value: body },
    { type: 'transfer', value: body },
  ];
  for (const form of forms) {
    for (const encoding of [pair, typed, { ...pair, dialect: 'legacy' } as const]) {
      assert.deepEqual(operationCodec.toJson(operationCodec.fromJson(form, encoding), pair), ['transfer', whole]);
    }
  }
});

test('the notation chooses the form that is written', () => {
  const operation = operationCodec.fromJson(['transfer', body], pair);
  assert.deepEqual(operationCodec.toJson(operation, typed), { type: 'transfer_operation', value: whole });
});

test('what is no operation is refused with the place of the fault', () => {
  const faults: [Json, RegExp][] = [
    [['nope', {}], /^\[0\]: there is no operation "nope"; there are transfer, /],
    [[UNKNOWN, {}], new RegExp(`^\\[0\\]: there is no operation ${UNKNOWN}; `)],
    [[0.5, {}], /there is no operation 0.5/],
    [[9_007_199_254_740_992n, {}], /there is no operation 9007199254740992; /],
    [[[-(2n ** 64n)], {}], /there is no operation an array; /],
    [['toString', {}], /there is no operation "toString"/],
    [['transfr', {}], /there is no operation "transfr"; did you mean transfer\?$/],
    [['transfer'], /an operation as \[name, body\] expected, got an array of 1$/],
    [[], /an operation as \[name, body\]/],
    [['transfer', body, 1], /an operation as \[name, body\]/],
    [{ type: 'transfer' }, /an operation as \{type, value\}/],
    [{ type: 0, value: body }, /an operation as \{type, value\}/],
    ['transfer', /an operation as/],
    [null, /an operation as/],
    [
      ['transfer', { ...body, amount: 1 }],
      /^\[1\]\.amount: an amount and a symbol such as "1\.000000 COIN" expected, got 1$/,
    ],
    [{ type: 'transfer', value: { ...body, to: 1 } }, /^value\.to: an account name/],
    [['transfer', { ...body, colour: 'red' }], /^\[1\]\.colour: unknown member/],
  ];
  for (const [json, message] of faults)
    assert.throws(() => operationCodec.fromJson(json, pair), { code: 'bad_value', message }, writeJson(json));
});

test('the legacy dialect ignores members that it does not know', () => {
  const operation = operationCodec.fromJson(['transfer', { ...body, colour: 'red' }], { ...pair, dialect: 'legacy' });
  assert.deepEqual(operationCodec.toJson(operation, pair), ['transfer', whole]);
});

test('bytes of an unknown kind are refused', () => {
  assert.throws(() => operationCodec.read(new ByteReader(Uint8Array.of(UNKNOWN))), {
    code: 'unknown_operation',
    message: new RegExp(`no operation has the number ${UNKNOWN}`),
  });
});

test('numbers and names lead to the same kinds', () => {
  for (const [number, kind] of Object.entries(operationKinds)) {
    assert.equal(operationNumber(kind), Number(number));
    assert.equal(operationKindNamed(kind.name), kind);
    assert.equal(operationKindNamed(`${kind.name}_operation`), kind);
  }
  assert.equal(operationKindNamed('_operation'), undefined);
});

test('every kind says what it does, and has texts for its refusals', () => {
  for (const kind of Object.values(operationKinds)) {
    assert.match(kind.doc, /^[A-Z].*\.$/, kind.name);
    for (const [code, entry] of Object.entries(kind.refuses)) {
      assert.match(code, /^[a-z][a-z0-9_]*$/);
      assert.ok((typeof entry === 'string' ? entry : entry.text).length > 0, `${kind.name}: ${code}`);
    }
  }
});

test('another fee makes another operation', () => {
  const fee = { amount: 5n, symbol: 'USD' };
  const operation = operationCodec.fromJson(['transfer', body], pair);
  assert.deepEqual(operation.withFee(fee).fee, fee);
  assert.deepEqual(operation.fee, { amount: 0n, symbol: 'COIN' });
  assert.equal(operation.withFee(fee).kind, transfer);
});
