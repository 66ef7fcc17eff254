import assert from 'node:assert/strict';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { timeText } from '../../../src/values/time.ts';
import { makeTransaction, type TransactionOptions } from '../../builders/chain.ts';
import { NodeOfMethods, type Answer, type NodeOptions } from './node_of_methods.ts';

// The nodes that refuse, and calls of their methods.

/** The private key of alice on development chains. */
export const ALICE_WIF = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

/** Params by name. */
export type JsonObject = { readonly [member: string]: Json };
/** Asks a method for what it refuses, on a node whose clients are refused that. */
export type Provocation = (method: Method, on: NodeOfMethods) => Promise<Answer>;

/** The node that most refusals are provoked on. */
export const node = new NodeOfMethods();
/** All nodes of this run, whose reports must stay empty. */
export const nodes: NodeOfMethods[] = [node];

/** A node for one provocation, which leaves it in a state of its own. */
export function ownNode(options: NodeOptions = {}): NodeOfMethods {
  const own = new NodeOfMethods(options);
  nodes.push(own);
  return own;
}

/** The params of a method's example. */
export function makeExample({ example: { params } }: Method): JsonObject {
  assert.ok(isJsonObject(params));
  return params;
}

/** Of these changes those that concern members which the method takes. */
export function changed(method: Method, changes: JsonObject): JsonObject {
  const known = Object.entries(changes).filter(([member]) => method.paramNames.includes(member));
  return { ...makeExample(method), ...Object.fromEntries(known) };
}

/** The example with some members changed. */
export function asking(changes: JsonObject | ((on: NodeOfMethods) => JsonObject)): Provocation {
  return (method, on) => on.call(method.name, changed(method, typeof changes === 'function' ? changes(on) : changes));
}

/** A transaction of one operation on top of a node's head, with the signatures of these accounts. */
export function signed(
  on: NodeOfMethods,
  operation: Json,
  signers: readonly string[],
  options: TransactionOptions = {},
): JsonObject {
  const { transaction } = makeTransaction(on.chain, on.parameters, [operation], signers, options);
  const { ref_block_num, ref_block_prefix, signatures, expiration } = transaction;
  const signatureTexts = [...signatures];
  return {
    ref_block_num,
    ref_block_prefix,
    expiration: timeText(expiration),
    operations: [operation],
    extensions: [],
    signatures: signatureTexts,
  };
}

/** A transfer to Bob. */
export function payment(memo = '', from = 'alice'): Json {
  return ['transfer', { fee: '0.010000 COIN', from, to: 'bob', amount: '1.000000 COIN', memo }];
}
