import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { Refusal } from '../../../src/base/refusal.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { makeTransaction, people, produce, testKey, testKeyText, testParameters } from '../../builders/chain.ts';
import { formSize } from '../../builders/forms.ts';
import { RandomOperations } from '../../builders/random_operations/index.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { sealByLabel } from '../../builders/sealed_by_label.ts';
import { NodeOfMethods } from './node_of_methods.ts';

/** `PHAROS_TEST_SEEDS=50` runs more. */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 10 });
const ROUNDS = formSize('PHAROS_TEST_ROUNDS', { short: 40, long: 200 });
const MOST_OPERATIONS = 12;
const MOST_SLOTS_WAITED = 20;
const ALL = 1000;
/** Kinds that change the lists of a record. */
const LISTING_KINDS = ['account_witness_vote', 'sponsor_fees'];

/** They are those of the last block. */
const LISTS = new Set(['witness_votes', 'sponsored_accounts']);

const parameters = testParameters({ max_witnesses: 5, max_voted_witnesses: 3, dilution_protection_percent: 0 });

type Answers = ReadonlyMap<string, Json>;

/** The answers for these accounts of every method that tells the pending state too. */
async function readAll(node: NodeOfMethods, names: readonly string[], pending: boolean): Promise<Answers> {
  const answers = new Map<string, Json>();
  for (const { group, name: method, paramNames } of node.methods.values()) {
    if (group === '' || !paramNames.includes('pending')) continue;
    const [member = ''] = paramNames;
    for (const name of names) {
      const params = { [member]: member.endsWith('s') ? [name] : name, pending };
      const { result, error } = await node.call(method, params);
      answers.set(`${method} ${name}`, readJsonText(JSON.stringify(error ?? result)));
    }
  }
  return answers;
}

function replaceMembers(json: Json, replacement: (name: string, value: Json) => Json): Json {
  if (Array.isArray(json)) return json.map((each) => replaceMembers(each, replacement));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, replacement(name, replaceMembers(value, replacement))]),
  );
}

/** The lists of a record. */
function lists(json: Json): string {
  const found: Json[] = [];
  replaceMembers(json, (name, value) => {
    if (LISTS.has(name)) found.push(value);
    return value;
  });
  return writeJson(found);
}

function withoutLists(json: Json): string {
  return writeJson(replaceMembers(json, (name, value) => (LISTS.has(name) ? null : value)));
}

/** A chain with random operations. */
class Scene {
  readonly node = new NodeOfMethods({ parameters, isEmpty: true });
  readonly #source: RandomSource;
  readonly #labels = new Map([...people, 'initminer'].map((name) => [testKey(name), name]));

  constructor(seed: number) {
    this.#source = new RandomSource(seed);
  }

  get names(): string[] {
    const { chain } = this.node;
    const rows = chain.committed.range(accounts.by_id, { limit: ALL });
    return [...rows.map(({ name }) => name), 'nobody-here'];
  }

  send(): void {
    const { chain } = this.node;
    for (let left = this.#source.roll(MOST_OPERATIONS); left > 0; left--) {
      const maker = new RandomOperations(chain, this.#source, this.#labels);
      const { operation, signers } = maker.make(
        this.#source.chance(50) ? this.#source.pick(LISTING_KINDS) : maker.kind(),
      );
      try {
        chain.accept(makeTransaction(chain, parameters, [operation], signers));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }

  /** Returns the accounts that the block changes besides its transactions. */
  async seal(): Promise<ReadonlySet<string>> {
    const { chain } = this.node;
    sealByLabel(chain, this.#labels, MOST_SLOTS_WAITED);
    assert.equal(chain.pendingTransactions.length, 0);
    return await this.#changedByBlock();
  }

  async #changedByBlock(): Promise<ReadonlySet<string>> {
    const params = { block_num: this.node.chain.head.number, only_virtual: true };
    const json = readJsonText(JSON.stringify(await this.node.result('account_history_api.get_ops_in_block', params)));
    const texts = new Set<string>();
    replaceMembers(json, (_, value) => {
      if (typeof value === 'string') texts.add(value);
      return value;
    });
    return texts;
  }
}

for (let seed = 1; seed <= SEEDS; seed++) {
  test(`with pending: true accounts read as in the block that takes what waits, their lists as in the last one (seed ${seed})`, async () => {
    const scene = new Scene(seed);
    let changes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { names } = scene;
      const before = await readAll(scene.node, names, false);
      scene.send();
      const pending = await readAll(scene.node, names, true);
      const changedByBlock = await scene.seal();
      const after = await readAll(scene.node, names, false);
      for (const [read, answer] of pending) {
        const [now, then] = [present(before.get(read), 'an answer'), present(after.get(read), 'an answer')];
        if (writeJson(now) !== writeJson(then)) changes++;
        if (changedByBlock.has(read.slice(read.indexOf(' ') + 1))) continue;
        assert.equal(withoutLists(answer), withoutLists(then), read);
        // An account that is deleted has no lists.
        if (lists(answer) !== '[]') assert.equal(lists(answer), lists(now), read);
      }
    }
    assert(changes > ROUNDS);
  });
}

test('the lists of an account are whole while a transaction waits that takes one of each away', async () => {
  const { node } = new Scene(1);
  const submit = (signer: string, ...operations: Json[]): void =>
    void node.chain.accept(makeTransaction(node.chain, parameters, operations, [signer]));
  const sponsor = (sponsored: string, is_sponsoring: boolean): Json => [
    'sponsor_fees',
    { fee: '0.000000 COIN', sponsor: 'alice', sponsored, is_sponsoring },
  ];
  const vote = (witness: string, approve: boolean): Json => [
    'account_witness_vote',
    { fee: '0.000000 COIN', account: 'alice', witness, approve },
  ];
  const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
  const update = {
    fee: '0.000000 COIN',
    owner: 'bob',
    url: 'https://bob.example',
    block_signing_key: testKeyText('bob'),
    props,
  };
  submit('bob', ['transfer_to_vesting', { fee: '0.000000 COIN', from: 'bob', to: '', amount: '300000.000000 COIN' }]);
  submit('bob', ['witness_update', update]);
  submit('alice', ...['bob', 'carol'].map((name) => sponsor(name, true)));
  submit('alice', ...['bob', 'initminer'].map((name) => vote(name, true)));
  produce(node.chain);
  submit('alice', sponsor('bob', false), vote('bob', false));
  const answers = [...(await readAll(node, ['alice'], true))].map(([read, answer]) => [read, lists(answer)] as const);
  const whole = '[["bob","initminer"],["bob","carol"]]';
  assert.deepEqual(
    answers.filter(([, shown]) => shown !== '[]'),
    [
      ['alexandria_api.get_account alice', whole],
      ['alexandria_api.get_accounts alice', whole],
      ['database_api.find_accounts alice', whole],
    ],
  );
});
