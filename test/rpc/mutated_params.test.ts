import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { assertSound, testKey, people, produce, testParameters } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { MutatedCalls, type MutatedCall } from '../builders/mutated_calls/index.ts';
import { signCalls } from '../builders/mutated_calls/signing.ts';
import { smallest, makeSource, sourceText } from '../builders/mutated_calls/source.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';
import { formSize } from '../builders/forms.ts';
import { findFault, findReadingFault } from './checked_call.ts';
import { NodeOfMethods } from './methods/node_of_methods.ts';

/**
 * A million calls: `PHAROS_TEST_SEEDS=200 PHAROS_TEST_CALLS=5000 npm test -- rpc/mutated_params`.
 * `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed.
 */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 2 });
const CALLS = formSize('PHAROS_TEST_CALLS', { short: 1000, long: 1500 });
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

/** Of all kinds, some of them several times. */
const OPERATIONS = 150;

function freshNode(rules: RuleSet): NodeOfMethods {
  const limits = { max_allowed_ops: 1_000_000, max_allowed_bandwidth: 1_000_000_000 };
  return new NodeOfMethods({ parameters: testParameters({ genesis_time: '2026-01-01T00:00:00', ...limits }, rules) });
}

function makeCalls(node: NodeOfMethods, randomSource: RandomSource): MutatedCalls {
  const { chain, parameters, methods } = node;
  return new MutatedCalls({
    methods,
    profile: parameters.profile,
    randomSource,
    operations: randomOperations(chain, randomSource),
    sign: (root) => signCalls(root, chain, parameters),
  });
}

/** Operations of all kinds with a fair chance. */
function randomOperations(chain: Chain, randomSource: RandomSource): Json[] {
  const maker = new RandomOperations(chain, randomSource, new Map(people.map((name) => [testKey(name), name])));
  return Array.from({ length: OPERATIONS }, () => maker.make(maker.kind()).operation);
}

/** Calls of one seed; on another node when nobody can produce blocks any more on the first. */
async function callAll(seed: number, rules: RuleSet): Promise<void> {
  const randomSource = new RandomSource(seed);
  for (let number = 1; number <= CALLS;) {
    const node = freshNode(rules);
    const calls = makeCalls(node, randomSource);
    for (; number <= CALLS && node.ownSlot !== undefined; number++) {
      const call = calls.next();
      const fault = await findBodyFault(call, node);
      if (fault !== undefined) assert.fail(`seed ${seed}, call ${number}, ${await described(call, fault, rules)}`);
    }
    await checkReputation(node);
  }
}

async function findBodyFault({ body, parts, space }: MutatedCall, node: NodeOfMethods): Promise<string | undefined> {
  const fault = await findFault(node, body);
  if (fault !== undefined) return fault;
  for (const part of parts) {
    const found = await findReadingFault(part, space);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** It still answers, its state is sound, and it goes on. */
async function checkReputation(node: NodeOfMethods): Promise<void> {
  await node.result('database_api.get_dynamic_global_properties');
  if (node.ownSlot !== undefined) produce(node.chain, node.ownSlot);
  assertSound(node.chain, node.parameters, node.store);
  node.stop();
}

/** The methods, and the smallest body that shows a fault on a node of its own. */
async function described({ body, source, parts }: MutatedCall, fault: string, rules: RuleSet): Promise<string> {
  const names = parts.map(({ method }) => method.name).join(', ');
  const node = freshNode(rules);
  const shows = async (text: string | Buffer): Promise<boolean> =>
    (await findFault(node, Buffer.from(text))) !== undefined;
  if (!(await shows(sourceText(source)))) {
    const where = (await shows(body)) ? '' : ' (not on a fresh node, or not when it is dispatched)';
    return `${names}${where}: ${body.toString()}\n${fault}`;
  }
  return `${names}: ${sourceText(await smallest(source, (candidate) => shows(sourceText(candidate))))}\n${fault}`;
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  const rules = seed % 2 === 1 ? 'interface' : 'lineage';
  test(`whatever a method is given, it answers or refuses, and the node goes on (seed ${seed}, ${rules})`, () =>
    callAll(seed, rules));
}

test('of a body that shows a fault nothing is kept but what shows it', async () => {
  const json: Json = {
    method: 'a.b',
    params: [{ trx: { operations: [['transfer', { from: 'alice', memo: 'so a wrong text' }]] }, n: 1 }],
  };
  const found = await smallest(
    makeSource(json),
    async (source) => await Promise.resolve(sourceText(source).includes('wrong')),
  );
  assert.equal(sourceText(found), '{"params":[{"trx":{"operations":[[{"memo":"wrong"}]]}}]}');
});
