import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { packTransaction } from '../../src/blocks/transaction.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { PlainJson } from '../../src/codec/plain_json.ts';
import { anyBlockAge } from '../../src/rpc/members.ts';
import { ParamsReader, type ParamsOf } from '../../src/jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../../src/rpc/sample_transaction.ts';
import { broadcastTransactionParam } from '../../src/rpc/transactions.ts';
import { waitForParam } from '../../src/rpc/wait_for_param.ts';
import { profiles } from '../../src/values/profile.ts';

const encoding: EncodingOptions = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
};
const members = { trx: broadcastTransactionParam, max_block_age: anyBlockAge, wait_for: waitForParam('block') };
const reader = new ParamsReader(members);

function plain(text: string, positional: boolean): string | undefined {
  const params = reader.readPlain(new PlainJson(Buffer.from(text)), positional, encoding);
  return params && shown(params);
}

function read(text: string, positional: boolean): string {
  const json = readJson(Buffer.from(text));
  return shown(positional ? reader.readPositional(json, encoding) : reader.read(json, encoding));
}

function shown({ trx, max_block_age, wait_for }: ParamsOf<typeof members>): string {
  const { id, leaf, packed } = packTransaction(trx);
  return `${id} ${leaf} ${Buffer.from(packed).toString('hex')} ${max_block_age} ${wait_for}`;
}

const trx = writeJson(sampleTransaction);
const asClientsWrite: readonly (readonly [text: string, positional: boolean])[] = [
  [`{"trx":${trx}}`, false],
  [`{"trx":${trx},"max_block_age":-1}`, false],
  [`{ "trx": ${trx}, "max_block_age": 60 }`, false],
  [`[${trx}]`, true],
  [`[${trx},-1]`, true],
  [`{"max_block_age":-1,"trx":${trx}}`, false],
  [`{"wait_for":"final","trx":${trx},"max_block_age":7}`, false],
  [`{"trx":${trx},"wait_for":"final"}`, false],
  [`[${trx},-1,"accepted"]`, true],
];

test('a broadcast as clients write it is read without a tree', () => {
  for (const [text, positional] of asClientsWrite) assert.equal(plain(text, positional), read(text, positional), text);
});

test('other right spellings are left to the reader of all, and so is what is wrong', () => {
  const others = [`[{"trx":${trx}}]`, `{"trx":${trx.replace('bob', 'b\\u006fb')}}`];
  for (const text of others) {
    assert.equal(plain(text, false), undefined, text);
    assert.notEqual(read(text, false), undefined);
  }
  const wrong = [
    '',
    '{}',
    '[]',
    'null',
    `{"trx":${trx}}}`,
    `{"trx":${trx},"max_block_age":1.5}`,
    `{"trx":${trx},"max_block_age":-0}x`,
    `{"trx":${trx},"wait_for":"Final"}`,
    `{"trx":${trx},"trx":${trx}}`,
  ];
  for (const text of wrong) {
    assert.equal(plain(text, false), undefined, text);
    assert.throws(() => read(text, false), text);
  }
});

test('whatever is read without a tree after a mistake is what the tree says', () => {
  const edit = fc.record({
    at: fc.nat(),
    cut: fc.nat({ max: 2 }),
    put: fc.constantFrom(...'{}[]":,. 0123456789-eaAT_\\', ''),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...asClientsWrite),
      fc.array(edit, { minLength: 1, maxLength: 2 }),
      ([whole, positional], edits) => {
        let text = whole;
        for (const { at, cut, put } of edits) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + cut);
        }
        const said = plain(text, positional);
        if (said !== undefined) assert.equal(said, read(text, positional), text);
      },
    ),
    { numRuns: 2000 },
  );
});
