import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { looksLikePrivateKey } from '../../../src/codec/decode_error.ts';
import { operationCodec, operationKinds } from '../../../src/operations/index.ts';
import { DeclaredAnswers } from '../../builders/declared_answers.ts';
import { encoding } from '../../builders/chain.ts';
import { document, methods, samples } from './built.ts';

test('every method has a sample that is as the method declares', () => {
  const declared = new DeclaredAnswers(JSON.parse(writeJson(document)));
  assert.deepEqual(Object.keys(samples.methods), [...methods.keys()].toSorted());
  for (const [name, sample] of Object.entries(samples.methods)) {
    if ('result' in sample) declared.check(name, { result: JSON.parse(writeJson(sample.result)) });
    if ('refused' in sample) assert.ok(sample.refused.name in (methods.get(name)?.refuses ?? {}), name);
  }
});

test('nearly all samples are results', () => {
  const others = Object.entries(samples.methods).filter(([, sample]) => !('result' in sample));
  assert.deepEqual(
    others.map(([name]) => name),
    ['database_api.verify_account_authority', 'rpc.discover'],
  );
});

test('every kind of operation that a history has was recorded, and can be read', () => {
  const recorded = Object.keys(samples.operations);
  assert.deepEqual(
    Object.values(operationKinds)
      // No chain has those of a hardfork that is still to come.
      .filter(({ name, since }) => !recorded.includes(name) && since === undefined)
      .map(({ name }) => name),
    ['hardfork'],
  );
  for (const [name, sample] of Object.entries(samples.operations)) {
    const operation = operationCodec.fromJson(sample, encoding);
    assert.deepEqual(readJsonText(writeJson(operationCodec.toJson(operation, encoding))), sample, name);
  }
});

test('no sample has a private key in it', () => {
  const texts =
    writeJson(
      JSON.parse(JSON.stringify(samples, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))),
    ).match(/"[^"]*"/g) ?? [];
  assert.deepEqual(
    texts.filter((text) => looksLikePrivateKey(text.slice(1, -1))),
    [],
  );
});
