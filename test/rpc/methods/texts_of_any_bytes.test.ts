import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../../src/codec/json.ts';
import { readJson } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { testKeyText, produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods({ parameters: testParameters({ genesis_time: '2026-01-01T00:00:00' }, 'lineage') });
const authority = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('a'), 1]] };

test('an account of the lineage whose seed is no text is shown in blocks, operations and histories, in a form that our own reader takes', async () => {
  for (const hex of ['ff', '00ff', '7ac3287a', 'eda080', `${'61'.repeat(31)}80`]) {
    const keys = { owner: authority, active: authority, memo_key: testKeyText('a') };
    const body: Json = { fee: '0.050000 COIN', creator: 'dave', name_seed: { hex }, ...keys, json_metadata: '' };
    node.chain.accept(makeTransaction(node.chain, node.parameters, [['account_create', body]], ['dave']));
    produce(node.chain);
    const { head_block_number: number } = Object(await node.result('database_api.get_dynamic_global_properties', {}));
    for (const [method, params] of [
      ['block_api.get_block', { block_num: number }],
      ['account_history_api.get_ops_in_block', { block_num: number, only_virtual: false }],
      ['account_history_api.get_account_history', { account: 'dave', start: -1, limit: 1 }],
    ] as const) {
      const text = writeJson(await node.result(method, { ...params }));
      assert.ok(text.includes(`"name_seed":{"hex":"${hex}"}`), `${method}: ${text}`);
      assert.equal(writeJson(readJson(Buffer.from(text))), text);
    }
  }
});
