import { ownProcess } from '../../src/jsonrpc/limits/request_source.ts';
import assert from 'node:assert/strict';

import { Type } from '../../src/jsonrpc/envelope/typebox.ts';

import { unlessRefused } from '../../src/base/refusal.ts';
import { packTransaction, readTransaction, type SignedTransaction } from '../../src/blocks/transaction.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { PlainJson } from '../../src/codec/plain_json.ts';
import { defaultDialect, legacyDialect } from '../../src/jsonrpc/envelope/dialect.ts';
import { makeEncoding } from '../../src/rpc/make_encoding.ts';
import type { BroadcastRequest, Method } from '../../src/rpc/method.ts';
import { ParamsReader } from '../../src/jsonrpc/envelope/params.ts';
import { encoding } from '../builders/chain.ts';
import { sourceText } from '../builders/mutated_calls/source.ts';
import type { MutatedParams } from '../builders/mutated_calls/index.ts';
import type { Answer, NodeOfMethods } from './methods/node_of_methods.ts';

/** Returns the fault in a node's reading of a body; undefined for none. */
export async function findFault(node: NodeOfMethods, body: Buffer): Promise<string | undefined> {
  const before = chainState(node);
  const fault = await catchFailure(async () => {
    const text = await node.dispatcher.dispatch(Buffer.from(body), { ...ownProcess, subscriber: node.listener });
    const calls = readCalls(body);
    if (text !== undefined) checkAnswers(node, calls, text.toString());
    else assert.ok(calls.length > 0 && calls.every(({ id }) => id === undefined), 'what has an id is answered');
    // A block that was waited for in vain comes later.
    if (calls.some(({ method }) => WRITES.test(method))) await new Promise((resolve) => void setImmediate(resolve));
    else assert.deepEqual(chainState(node), before, 'a read changes nothing');
  });
  const reports = node.reports.splice(0).map((error) => (error instanceof Error ? (error.stack ?? '') : String(error)));
  return reports.length === 0 ? fault : reports.join('\n');
}

const WRITES = /^debug_api\.|send_and_sign|broadcast|^chain_api\./;

function chainState({ chain }: NodeOfMethods): object {
  return { ...chain.head, pending: chain.pendingTransactions.length };
}

async function catchFailure(run: () => Promise<void> | void): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

interface Asked {
  readonly method: string;
  readonly params: unknown;
  readonly id: unknown;
}

/** The calls of a body as a client reads it; none when it is no JSON. */
function readCalls(body: Buffer): readonly Asked[] {
  const json = parsed(body.toString());
  if (json === undefined) return [];
  return (Array.isArray(json) ? json : [json]).map((call: unknown) => {
    const { method, params, id }: Record<string, unknown> = Object(call);
    const [group, name, named]: unknown[] = Array.isArray(params) ? params : [];
    return method === 'call'
      ? { method: `${toText(group)}.${toText(name)}`, params: named, id }
      : { method: toText(method), params, id };
  });
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkAnswers(node: NodeOfMethods, calls: readonly Asked[], text: string): void {
  const json: Answer | Answer[] = JSON.parse(text);
  if (!Array.isArray(json)) return checkAnswer(node, calls[0], json);
  const asked = calls.filter(({ id, method }) => id !== undefined || !method.includes('.'));
  // What is no request at all is answered too; then it is not known which answer is whose.
  for (const [k, answer] of json.entries())
    checkAnswer(node, json.length === asked.length ? asked[k] : undefined, answer);
}

/** A result as it is declared, or an error with a code; about bad params one that names the member. */
function checkAnswer(node: NodeOfMethods, asked: Asked | undefined, answer: Answer): void {
  const { error } = answer;
  assert.equal('result' in answer, error === undefined, JSON.stringify(answer));
  node.check(asked?.method ?? '', asked?.params, answer);
  if (error === undefined) return;
  const { code, message, data: { name, member } = {} } = error;
  assert.ok(Number.isInteger(code) && message !== '', JSON.stringify(error));
  assert.ok(code !== -32603 && name !== 'internal_error', 'no internal error');
  if (code !== -32602 || WITHOUT_MEMBER.test(String(name))) return;
  assert.ok(
    typeof member === 'string' && (member !== '' || name === 'unknown_member'),
    `a member is named: ${JSON.stringify(error)}`,
  );
}

/** Refusals of params as a whole. */
const WITHOUT_MEMBER = /^(?:params_not_object|params_too_long|too_few_arguments|json_\w+)$/;

/** Returns the fault in a verifier's reading of broadcast params; undefined for none. */
export async function findReadingFault({ method, params }: MutatedParams, space: string): Promise<string | undefined> {
  return await catchFailure(() => checkReading(method, Buffer.from(sourceText(params, space))));
}

/** Read without a tree, where that is possible, a broadcast is the same; and its bytes can be read again. */
function checkReading(method: Method, bytes: Buffer): void {
  const { request: readRequest, params } = method;
  if (readRequest === undefined || !Type.IsObject(params)) return;
  const reader = new ParamsReader(params.properties);
  for (const dialect of [defaultDialect, legacyDialect]) {
    const { positional } = dialect;
    const words = makeEncoding(encoding, method.group, dialect);
    const byTree = unlessRefused(() => {
      const json = readJson(bytes);
      return positional ? reader.readPositional(json, words) : reader.read(json, words);
    });
    const plain = reader.readPlain(new PlainJson(bytes), positional, words);
    if (plain !== undefined) assert.deepEqual(shown(plain), byTree && shown(byTree), 'both ways of reading agree');
    const request: BroadcastRequest | undefined = unlessRefused((): BroadcastRequest =>
      readRequest(bytes, positional, words),
    );
    assert.equal(request === undefined, byTree === undefined, 'what a verifier takes is what the tree takes');
    if (request !== undefined) checkBytes(request.transaction);
  }
}

function shown(params: Readonly<Record<string, unknown>>): unknown[] {
  return Object.values(params).map((value) =>
    isTransaction(value) ? Buffer.from(packTransaction(value).packed).toString('hex') : value,
  );
}

function isTransaction(value: unknown): value is SignedTransaction {
  return typeof value === 'object' && value !== null && 'operations' in value;
}

function checkBytes(transaction: SignedTransaction): void {
  const { packed, id } = packTransaction(transaction);
  assert.equal(readTransaction(new ByteReader(packed)).id, id, 'the bytes can be read again');
}
