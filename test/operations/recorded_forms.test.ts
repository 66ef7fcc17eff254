import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import type { Notation } from '../../src/codec/notation.ts';
import { operationCodec, operationKindNamed, operationNumber } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { requiredFee } from '../../src/state/fees.ts';
import { authority } from '../../src/values/authority.ts';
import { assetText } from '../../src/values/asset.ts';
import { profiles } from '../../src/values/profile.ts';
import { Ledger } from '../builders/ledger.ts';
import { listAt, member, recording, textAt, type Recorded } from '../builders/recordings.ts';

const profile = present(profiles['lineage'], 'the profile of the recordings');
const notation: Notation = { ...profile, dialect: 'legacy', operationForm: 'pair' };
const { parameters } = new Ledger({ profile, rules: 'lineage', names: [] });

// The recovery kinds and all that come after them; the kinds before have tests of their own.
const FIRST = 15;
const LAST = 31;

/** The operation of a recorded pair, if it is of one of the kinds here. */
function read(json: Json): Operation | undefined {
  const name = Array.isArray(json) ? json[0] : undefined;
  const kind = typeof name === 'string' ? operationKindNamed(name) : undefined;
  if (kind === undefined || operationNumber(kind) < FIRST || operationNumber(kind) > LAST) return undefined;
  return operationCodec.fromJson(json, notation);
}

function hexOf(operation: Operation): string {
  const out = new ByteWriter();
  operationCodec.write(out, operation);
  return Buffer.from(out.view()).toString('hex');
}

/** The operation has these bytes and this JSON, and comes back from its bytes. */
function assertForms(operation: Operation, hex: string, json: Recorded): void {
  assert.equal(hexOf(operation), hex);
  assert.deepEqual(operationCodec.toJson(operation, notation), json);
  const input = new ByteReader(Buffer.from(hex, 'hex'));
  assert.deepEqual(operationCodec.read(input).body, operation.body);
  input.expectEnd();
}

const sdk = recording('vectors-sdk.json');

const bytesOfNode = { 'sdk.transactions_agreeing_with_node': 'op_hex', 'sdk.operations_the_sdk_gets_wrong': 'correct_op_hex' };

for (const [list, hex] of Object.entries(bytesOfNode)) {
  for (const entry of listAt(sdk, list)) {
    const operation = read(member(entry, 'operation'));
    if (operation === undefined) continue;
    test(`${textAt(entry, 'label')} of ${list} has the bytes of the node`, () => {
      assertForms(operation, textAt(entry, hex), member(entry, 'node_json'));
    });
  }
}

for (const entry of listAt(sdk, 'node.operations')) {
  const operation = read(member(entry, 'input'));
  if (operation === undefined) continue;
  const label = textAt(entry, 'label');

  test(`${label} has the recorded bytes and JSON`, () => assertForms(operation, textAt(entry, 'op_hex'), member(entry, 'node_json')));

  test(`${label} is valid and asks for the recorded signatures and fees`, () => {
    operation.validate(parameters);
    const { active = [], owner = [], other = [] } = operation.authorities();
    assert.deepEqual(active, member(entry, 'required_active'));
    assert.deepEqual(owner, member(entry, 'required_owner'));
    assert.deepEqual(
      other.map((one) => authority.toJson(one, notation)),
      member(entry, 'required_other'),
    );
    assert.equal(operation.feeAccount(), member(entry, 'fee_payer'));
    const fees = Object.entries(member(entry, 'required_fee') ?? {});
    for (const [symbol, fee] of fees) assert.equal(assetText(requiredFee(parameters, operation.feeRule(), symbol)), fee);
    assert.ok(fees.length > 0);
  });
}

for (const entry of listAt(sdk, 'node.operation_defaults')) {
  const number = Number(member(entry, 'variant_id'));
  if (number < FIRST || number > LAST) continue;
  const name = textAt(entry, 'name');
  test(`${name} has its number, and the recorded values for members that are left out`, () => {
    const operation = operationCodec.fromJson([name, {}], notation);
    assert.equal(operationNumber(operation.kind), number);
    assertForms(operation, textAt(entry, 'default_op_hex'), [name, member(entry, 'default_body')]);
  });
}

const HEADER_DIGITS = 20; // ref_block_num, ref_block_prefix, expiration
const NO_EXTENSIONS_NO_SIGNATURES = '0000';

for (const entry of listAt(recording('vectors.json'), 'operations')) {
  const operations = listAt(entry, 'operations').map((json) => operationCodec.fromJson(json, notation));
  if (!operations.some(({ kind }) => operationNumber(kind) >= FIRST)) continue;
  test(`the recorded transaction ${textAt(entry, 'name')} has these bytes`, () => {
    const body = operations.map(hexOf).join('');
    const count = operations.length.toString(16).padStart(2, '0');
    assert.equal(textAt(entry, 'unsigned_transaction_hex').slice(HEADER_DIGITS), `${count}${body}${NO_EXTENSIONS_NO_SIGNATURES}`);
    assert.deepEqual(
      operations.map((operation) => operationCodec.toJson(operation, notation)),
      member(entry, 'operations'),
    );
  });
}
