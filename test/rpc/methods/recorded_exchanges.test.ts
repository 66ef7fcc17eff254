import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { lineageParameters, provedBlock, recordedBlocks } from '../../builders/lineage_chain.ts';
import { recordingPath } from '../../builders/recordings.ts';
import { dispatcherOver } from './node_of_methods.ts';

type JsonObject = { [member: string]: Json };

/** The recorded chain and the one behind the exchanges are the same up to here. */
const LAST_COMMON_BLOCK = 1202;

/** Methods whose recorded results depend on no later block and that answer in the same form. */
const same = new RegExp(
  [
    '^alexandria_api\\.(get_transaction_(digest|id)|add_signature|sign_digest|update_account(_auth)?|transfer(_to_vesting)?|update_witness|vote_for_witness)$',
    '^alexandria_api\\.(set_voting_proxy|\\w+_application|cancel_application_buying|make_custom_\\w+|sponsor_account_fees|stop_witness|delete_account)$',
    '^alexandria_api\\.(withdraw_vesting|account_exist|add_fee|calculate_fee|create_simple_\\w*authority|decrypt_data|fiat_to_\\w+|(to|from)_base64)$',
    '^alexandria_api\\.(generate_key_pair_from_brain_key|get_account_name_from_seed|get_(active|owner)_authority|get_applications(_by_ids)?|get_block)$',
    '^alexandria_api\\.(get_hardfork_property_object|get_key_references|get_memo_key|get_owner_history|get_public_key|get_required_signatures)$',
    '^alexandria_api\\.(get_transaction|list_witnesses|verify_signature)$',
    '^account_by_key_api\\.|^account_history_api\\.(get_ops_in_block|get_transaction)$',
    '^custom_api\\.(get_app_custom_messages|get_received_document)$',
    '^database_api\\.(find_change_recovery_account_requests|find_owner_histories|get_burned_balance|get_config|get_current_price_feed)$',
    '^database_api\\.(get_hardfork_properties|get_potential_signatures|get_required_signatures|get_transaction_hex|list_applications)$',
    '^database_api\\.(list_change_recovery_account_requests|list_owner_histories|list_witness_votes|verify_\\w+)$',
  ].join('|'),
);

/** Exchanges that show the original's leniency about params, which is not ours. */
const lenient = /\((bad|missing|extra|empty|no params|params) |private net|main net|fee-free|UB|number as float|negative into uint/;
/** What was answered although the digest had two digits of 64. */
const short = 'alexandria_api.sign_digest #2';

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Operations as pairs and assets as texts, whatever form the group has. */
function paired(json: Json): Json {
  if (Array.isArray(json)) return json.map(paired);
  if (!isObject(json)) return json;
  const { type, value, ...others } = json;
  if (typeof type === 'string' && value !== undefined && Object.keys(others).length === 0)
    return [type.replace('_operation', ''), paired(value)];
  const { amount, symbol, precision } = json;
  if (typeof amount === 'string' && typeof symbol === 'string') return `${amount} ${symbol}`;
  if (typeof amount === 'string' && precision === 6) return `${amount.padStart(7, '0').replace(/(\d{6})$/, '.$1')} SPHTX`;
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, paired(member)]));
}

test('what the original answered is answered again', async () => {
  const parameters = lineageParameters();
  const store = new MemoryStore();
  const chain = new Chain({ store, parameters, durable: false });
  for (const packed of recordedBlocks().slice(0, LAST_COMMON_BLOCK)) chain.push(provedBlock(packed, parameters.chainId));
  const dispatcher = dispatcherOver(chain, store, parameters);
  let compared = 0;
  for (const line of gunzipSync(readFileSync(recordingPath('exchanges.jsonl.gz')))
    .toString()
    .split('\n')
    .filter(Boolean)) {
    const { name, request, response } = Object(readJsonText(line));
    if (!isObject(request) || typeof request['method'] !== 'string' || !same.test(request['method']) || !isObject(response)) continue;
    if (response['result'] === undefined || name === short || lenient.test(String(name))) continue;
    const { method, params = {} } = request;
    const text = await dispatcher.dispatch(Buffer.from(writeJson({ jsonrpc: '2.0', id: 1, method, params })));
    const answer = readJsonText(String(text));
    assert.ok(isObject(answer));
    assert.deepEqual(paired(answer['result'] ?? answer), response['result'], `${name} ${writeJson(params)}`);
    compared++;
  }
  assert.ok(compared > 350, String(compared));
});
