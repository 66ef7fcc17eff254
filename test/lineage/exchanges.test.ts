import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import type { Json } from '../../src/codec/json.ts';
import { readJsonText } from '../../src/codec/json_reader.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { makeOrigin } from '../../src/chain/chain_origin.ts';
import { chainParameters } from '../../src/state/parameters.ts';
import { profiles } from '../../src/values/profile.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { testKey, produce } from '../builders/chain.ts';
import { lineageParameters } from '../builders/lineage_chain.ts';
import { RecordedNode } from '../builders/recorded_node.ts';
import { recordingPath } from '../builders/recordings.ts';
import { NodeOfMethods } from '../rpc/methods/node_of_methods.ts';
import { differences, isObject, sameForm, sameJson, type Answer, type Exchange } from './differences.ts';

/** Runs of the lineage with another genesis, by their first exchange: two private nets, and the main net without any block. */
const OTHER_RUNS = [
  { first: 2044, open: privateNet },
  { first: 2057, open: privateNet },
  { first: 2066, open: () => new NodeOfMethods({ parameters: lineageParameters(), isEmpty: true }) },
] as const;
/** Behind them the recording goes on with the chain that it began with. */
const OTHER_RUNS_END = 2069;
/** Exchanges without a call, or with a port that takes none; test/rpc/http tests the servers. */
const NO_CALL = /^websocket: (?:handshake|binary frame|subscribe|all further|message after|HTTP POST|request over ws)/;
/** With whose secret the recorded nodes made their accounts: sha256("init_key"). */
const RECORDED_KEY = 'SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4';
/** From here on the recording refers to blocks that the recorded chain doesn't have. */
const FIRST_LATE = 468;

function answerOf(json: Json | undefined): Answer {
  const error = isObject(json) && isObject(json['error']) ? json['error'] : undefined;
  const data = isObject(error?.['data']) ? error['data'] : {};
  return {
    json,
    result: isObject(json) ? json['result'] : undefined,
    error: error === undefined ? undefined : { code: Number(error['code']), message: String(error['message']), data },
  };
}

/** Errors are the same when code, text and the lineage's number are; its exception object with the stack is part of no contract. */
function isSame({ ours, recorded, late }: Exchange): boolean {
  if (ours.error !== undefined && recorded.error !== undefined) {
    const isSameError = ours.error.code === recorded.error.code && ours.error.message === recorded.error.message;
    return isSameError && (recorded.error.data['code'] === undefined || ours.error.data['code'] === recorded.error.data['code']);
  }
  return sameJson(ours.json, recorded.json) || (late && recorded.error === undefined && ours.error === undefined && sameForm(ours.json, recorded.json));
}

/** Blocks that a call or its answer refers to were there when it was made. */
function follow(node: RecordedNode, name: string, request: Json | undefined, response: Json | undefined): void {
  const [, number] = /\((?:after )?block (\d+)\)$/.exec(name) ?? [];
  if (number !== undefined) node.advance(Number(number));
  const result = answerOf(response).result;
  const params = isObject(request) ? request['params'] : undefined;
  for (const holder of [result, params]) {
    if (!isObject(holder)) continue;
    const transaction = holder['simple_tx'] ?? holder['signed_tx'] ?? holder['tx'] ?? holder['trx'];
    if (isObject(transaction) && 'ref_block_num' in transaction) node.advance(Number(transaction['ref_block_num']), Number(transaction['ref_block_prefix']));
  }
}

/** A private net at its first block; the key of the recorded one made its accounts, another one signs its blocks. */
function privateNet(): NodeOfMethods {
  const profile = profiles['lineage'] ?? assert.fail('the lineage profile');
  const genesis = {
    is_private_net: true,
    initial_balace: 0,
    genesis_time: '2018-01-01T08:00:00',
    initial_public_key: RECORDED_KEY,
    initial_signing_key: publicKeyText(testKey('initminer'), profile.keyPrefix),
  };
  const { genesis: read, chainId } = makeOrigin(Buffer.from(JSON.stringify(genesis)), profile);
  const net = new NodeOfMethods({ parameters: chainParameters(profile, read, chainId), isEmpty: true });
  produce(net.chain);
  return net;
}

async function replay(node: RecordedNode | NodeOfMethods, line: string, index: number): Promise<Exchange | undefined> {
  const { name, request, response } = Object(readJsonText(line));
  if (NO_CALL.test(String(name))) return undefined;
  const late = index >= FIRST_LATE;
  if (node instanceof RecordedNode) {
    if (late) node.advanceToTheEnd();
    else follow(node, String(name), request, response);
  }
  const text = await node.dispatcher.dispatch(Buffer.from(typeof request === 'string' ? request : writeJson(request)));
  const ours = answerOf(text === undefined ? undefined : readJsonText(text.toString()));
  return { name: String(name), method: isObject(request) ? String(request['method']) : '', recorded: answerOf(response), ours, late };
}

test('what the lineage answered is answered again, or a rule demands something else', async () => {
  const recorded = new RecordedNode();
  let node: RecordedNode | NodeOfMethods = recorded;
  const lines = gunzipSync(readFileSync(recordingPath('exchanges.jsonl.gz'))).toString().split('\n').filter(Boolean);
  const unlisted: string[] = [];
  const used = new Set<number>();
  let same = 0;
  const reports: unknown[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === OTHER_RUNS_END) node = recorded;
    else node = OTHER_RUNS.find(({ first }) => first === index)?.open() ?? node;
    const exchange = await replay(node, line, index);
    if (exchange === undefined) continue;
    const covering = isSame(exchange) ? -2 : differences.findIndex(({ covers }) => covers(exchange));
    if (covering === -2) same++;
    else if (covering === -1) unlisted.push(`${index} ${exchange.name}\n  recorded ${shown(exchange.recorded.json)}\n  ours     ${shown(exchange.ours.json)}`);
    else used.add(covering);
    reports.push(...node.reports.splice(0));
  }
  assert.equal(unlisted.length, 0, `${unlisted.length} differ:\n${unlisted.slice(0, 100).join('\n')}`);
  assert.deepEqual(differences.filter((_, k) => !used.has(k)).map(({ what }) => what), []);
  assert.deepEqual(reports, []);
  assert.ok(same > 800, `${same} are the same`);
});

function shown(json: Json | undefined): string {
  return json === undefined ? 'nothing' : writeJson(json).slice(0, 600);
}
