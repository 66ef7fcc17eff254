import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { custom } from '../../src/operations/custom.ts';
import { customBinary } from '../../src/operations/custom_binary.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import { listDeliveries } from '../../src/state/document_copies.ts';
import { requiredFee } from '../../src/state/fees.ts';
import { customContents } from '../../src/state/tables/custom_content.ts';
import { assetText } from '../../src/values/asset.ts';
import { profiles } from '../../src/values/profile.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger, START } from '../builders/ledger.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';

const fee = { amount: 10_000n, symbol: 'COIN' };
const envelope = { fee, sender: 'alice', recipients: ['bob', 'carol'], app_id: 7n };
const jsonMessage = { ...envelope, json: '{"a":1}' };
const binaryMessage = { ...envelope, data: 'deadbeef' };

testRefusals({
  kind: customJson,
  build: () => new Ledger(),
  good: jsonMessage,
  faults: [
    { code: 'json_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { json: '"\udc80"' } },
    { code: 'json_malformed', text: 'JSON Metadata is malformed at character 1', body: { json: '[' } },
    { code: 'json_not_valid', text: 'JSON Metadata not valid JSON', body: { json: '' } },
  ],
});

/** One for each copy of each message. */
function documents(ledger: Ledger): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  for (;;) {
    const message = ledger.rows.get(customContents, BigInt(found.length));
    if (message === undefined) return found;
    const { copies, copy_count, ...common } = message;
    assert.equal(listDeliveries({ copies }).length, copy_count);
    for (const [place, delivery] of listDeliveries({ copies }).entries())
      found.push({ ...common, ...delivery, id: message.id + BigInt(place) });
  }
}

test('every recipient gets a document, and all share the sender’s and the application’s sequence number', () => {
  const ledger = new Ledger();
  ledger.moveTime(10);
  ledger.apply(customJson.of(jsonMessage));
  const common = {
    app_id: 7n,
    sender: 'alice',
    sender_sequence: 1n,
    recipient_sequence: 1n,
    app_message_sequence: 1n,
  };
  const content = { received: START + 10, binary: false, payload: '{"a":1}' };
  assert.deepEqual(documents(ledger), [
    { id: 0n, recipient: 'bob', ...common, ...content },
    { id: 1n, recipient: 'carol', ...common, ...content },
  ]);
});

test('sequences go on for sender, recipient and application apart, for JSON and bytes together', () => {
  const ledger = new Ledger();
  ledger.apply(customJson.of(jsonMessage));
  ledger.apply(customBinary.of({ ...binaryMessage, recipients: ['bob'] }));
  ledger.apply(customBinary.of({ ...binaryMessage, sender: 'bob' }));
  ledger.apply(customJson.of({ ...jsonMessage, app_id: 8n }));
  const sequences = documents(ledger).map((one) => [
    one.sender,
    one.recipient,
    one.sender_sequence,
    one.recipient_sequence,
    one.app_message_sequence,
  ]);
  assert.deepEqual(sequences, [
    ['alice', 'bob', 1n, 1n, 1n],
    ['alice', 'carol', 1n, 1n, 1n],
    ['alice', 'bob', 2n, 2n, 2n],
    ['bob', 'bob', 1n, 3n, 3n],
    ['bob', 'carol', 1n, 2n, 3n],
    ['alice', 'bob', 1n, 1n, 1n],
    ['alice', 'carol', 1n, 1n, 1n],
  ]);
});

test('a message without recipients leaves no trace, and neither does custom', () => {
  const ledger = new Ledger();
  const before = ledger.rows.stateHash();
  ledger.apply(customJson.of({ ...jsonMessage, recipients: [] }));
  ledger.apply(customBinary.of({ ...binaryMessage, recipients: [] }));
  ledger.apply(custom.of(binaryMessage));
  assert.equal(ledger.rows.stateHash(), before);
});

test('recipients need not exist and do not get it into their histories', () => {
  const ledger = new Ledger();
  ledger.apply(customBinary.of({ ...binaryMessage, recipients: ['nobody'] }));
  assert.equal(documents(ledger)[0]?.recipient, 'nobody');
  for (const operation of [custom.of(binaryMessage), customBinary.of(binaryMessage), customJson.of(jsonMessage)]) {
    assert.deepEqual(operation.impacted(), ['alice']);
    assert.deepEqual(operation.authorities(), { active: ['alice'] });
  }
});

const lineage = new Ledger({
  profile: present(profiles['lineage'], 'the lineage profile'),
  rules: 'lineage',
  names: [],
});

for (const vector of recordedList(recording('vectors-sdk.json'), 'node.custom_operation_fees')) {
  const bytes = Number(member(vector, 'payload_bytes'));
  test(`${bytes} bytes cost the recorded fee`, () => {
    const rules = [
      custom.of({ ...envelope, data: '00'.repeat(bytes) }).feeRule(),
      customBinary.of({ ...envelope, data: '00'.repeat(bytes) }).feeRule(),
      customJson.of({ ...envelope, json: 'a'.repeat(bytes) }).feeRule(),
    ];
    for (const rule of rules) {
      assert.equal(assetText(requiredFee(lineage.parameters, rule, 'SPHTX')), recordedText(vector, 'coin'));
      assert.equal(assetText(requiredFee(lineage.parameters, rule, 'USD')), recordedText(vector, 'usd'));
    }
  });
}

test('an empty payload costs one base fee, but not in the lineage', () => {
  const rule = custom.of({ ...envelope, data: '' }).feeRule();
  assert.equal(requiredFee(new Ledger().parameters, rule, 'COIN').amount, 10_000n);
  assert.equal(requiredFee(lineage.parameters, rule, 'SPHTX').amount, 10_485_760_000n);
});

test('a JSON text costs by its bytes, not by its characters', () => {
  assert.deepEqual(customJson.of({ ...jsonMessage, json: '"€"' }).feeRule(), { payloadBytes: 5 });
});
