import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { operationCodec, operationKinds, operationNumber } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { requiredFee } from '../../src/state/fees.ts';
import { authority } from '../../src/values/authority.ts';
import { assetText } from '../../src/values/asset.ts';
import { profiles } from '../../src/values/profile.ts';
import { Ledger } from '../builders/ledger.ts';
import { recordedList, member, recording, recordedText, type Recorded } from '../builders/recordings.ts';

const profile = present(profiles['lineage'], 'the profile of the recordings');
const encoding: EncodingOptions = { ...profile, dialect: 'legacy', operationForm: 'pair' };
const { parameters } = new Ledger({ profile, rules: 'lineage', names: [] });

function read(json: Json): Operation {
  return operationCodec.fromJson(json, encoding);
}

function operationHex(operation: Operation): string {
  const out = new ByteWriter();
  operationCodec.write(out, operation);
  return Buffer.from(out.view()).toString('hex');
}

/** The operation has these bytes and this JSON, and comes back from its bytes. */
function assertForms(operation: Operation, hex: string, json: Recorded): void {
  assert.equal(operationHex(operation), hex);
  assert.deepEqual(operationCodec.toJson(operation, encoding), json);
  const input = new ByteReader(Buffer.from(hex, 'hex'));
  assert.deepEqual(operationCodec.read(input).body, operation.body);
  input.expectEnd();
}

const sdk = recording('vectors-sdk.json');

const bytesOfNode = {
  'sdk.transactions_agreeing_with_node': 'op_hex',
  'sdk.operations_the_sdk_gets_wrong': 'correct_op_hex',
};

for (const [list, hex] of Object.entries(bytesOfNode)) {
  for (const entry of recordedList(sdk, list)) {
    const operation = read(member(entry, 'operation'));
    test(`${recordedText(entry, 'label')} of ${list} has the bytes of the node`, () => {
      assertForms(operation, recordedText(entry, hex), member(entry, 'node_json'));
    });
  }
}

/** Passes or is refused as recorded; `fail: Assert Exception:<condition>: <text>` where the lineage had a text. */
function assertVerdict(operation: Operation, verdict: string): void {
  if (verdict === 'ok') {
    operation.validate(parameters);
    return;
  }
  const text = /^fail: Assert Exception:.+?: (.*)$/.exec(verdict)?.[1];
  assert.ok(text !== undefined, verdict);
  assert.throws(
    () => operation.validate(parameters),
    (refusal) => {
      assert.ok(refusal instanceof Refusal, String(refusal));
      if (text !== '') assert.equal(refusal.lineage, text);
      return true;
    },
  );
}

function assertAuthorities(operation: Operation, entry: Recorded): void {
  const { active = [], owner = [], other = [] } = operation.authorities(parameters.rules);
  assert.deepEqual(active, member(entry, 'required_active'));
  assert.deepEqual(owner, member(entry, 'required_owner'));
  assert.deepEqual(
    other.map((one) => authority.toJson(one, encoding)),
    member(entry, 'required_other'),
  );
}

function assertFees(operation: Operation, entry: Recorded): void {
  assert.equal(operation.feeAccount(), member(entry, 'fee_payer'));
  const fees = Object.entries(member(entry, 'required_fee') ?? {});
  for (const [symbol, fee] of fees) assert.equal(assetText(requiredFee(parameters, operation.feeRule(), symbol)), fee);
  assert.ok(fees.length > 0);
}

for (const entry of recordedList(sdk, 'node.operations')) {
  const label = recordedText(entry, 'label');
  const operation = read(member(entry, 'input'));
  if (typeof entry === 'object' && entry !== null && 'rejected' in entry) {
    // The lineage read neither the ending of a name nor the typed form; here both are welcome.
    test(`${label} is read, as the lineage did not`, () => assert.equal(operation.kind.name, 'transfer'));
    continue;
  }
  test(`${label} has the recorded bytes and JSON`, () =>
    assertForms(operation, recordedText(entry, 'op_hex'), member(entry, 'node_json')));

  test(`${label} has the recorded verdict and asks for the recorded signatures and fees`, () => {
    assertVerdict(operation, recordedText(entry, 'validate'));
    assertAuthorities(operation, entry);
    // Nobody is asked for the fee of a virtual operation; what the recording says of it is left over from another one.
    if (!operation.kind.isVirtual) assertFees(operation, entry);
  });
}

for (const entry of recordedList(sdk, 'node.operation_defaults')) {
  const number = Number(member(entry, 'variant_id'));
  const name = recordedText(entry, 'name');
  test(`${name} has its number, and the recorded values for members that are left out`, () => {
    const operation = operationCodec.fromJson([name, {}], encoding);
    assert.equal(operationNumber(operation.kind), number);
    assert.equal(operation.kind.isVirtual, member(entry, 'virtual'));
    assertForms(operation, recordedText(entry, 'default_op_hex'), [name, member(entry, 'default_body')]);
  });
}

test('every recorded kind is registered, and no other', () => {
  const recorded = recordedList(sdk, 'node.operation_defaults').map((entry) => [
    member(entry, 'variant_id'),
    recordedText(entry, 'name'),
  ]);
  assert.deepEqual(
    Object.entries(operationKinds).map(([number, kind]) => [Number(number), kind.name]),
    recorded,
  );
});

const HEADER_DIGITS = 20; // ref_block_num, ref_block_prefix, expiration
const NO_EXTENSIONS_NO_SIGNATURES = '0000';

for (const entry of recordedList(recording('vectors.json'), 'operations')) {
  const operations = recordedList(entry, 'operations').map((json) => operationCodec.fromJson(json, encoding));
  test(`the recorded transaction ${recordedText(entry, 'name')} has these bytes`, () => {
    const body = operations.map(operationHex).join('');
    const count = operations.length.toString(16).padStart(2, '0');
    assert.equal(
      recordedText(entry, 'unsigned_transaction_hex').slice(HEADER_DIGITS),
      `${count}${body}${NO_EXTENSIONS_NO_SIGNATURES}`,
    );
    assert.deepEqual(
      operations.map((operation) => operationCodec.toJson(operation, encoding)),
      member(entry, 'operations'),
    );
  });
}
