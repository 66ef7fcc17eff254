import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { testKeyText, openChain, people, produce, testParameters, makeTransaction } from './chain.ts';
import { copyBlock, growSide, HERE, THERE, witnessUpdate } from './parted_witnesses.ts';

/** The rule sets and kinds of chains that judge blocks of branches alike. */
export const KINDS_OF_CHAINS = [
  { name: 'rules interface', rules: 'interface', isPrivateNet: false },
  { name: 'rules lineage', rules: 'lineage', isPrivateNet: false },
  { name: 'rules interface in a private net', rules: 'interface', isPrivateNet: true },
  { name: 'rules lineage in a private net', rules: 'lineage', isPrivateNet: true },
] as const satisfies readonly { readonly name: string; readonly rules: RuleSet; readonly isPrivateNet: boolean }[];

export type KindOfChain = (typeof KINDS_OF_CHAINS)[number];

/** Accounts besides those of every test chain: candidates for managers. */
export const STAFF = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9'] as const;

/** An authority of these keys, given by the names of their secrets, and of these accounts; one of them is enough. */
export function authorityJson(keyNames: readonly string[], names: readonly string[] = [], weight_threshold = 1): Json {
  const key_auths = keyNames.map(testKeyText).toSorted();
  return {
    weight_threshold,
    account_auths: names.map((name) => [name, 1]),
    key_auths: key_auths.map((key) => [key, 1]),
  };
}

/** Replaces authorities of an account. */
export function accountUpdate(account: string, authorities: { readonly owner?: Json; readonly active?: Json }): Json {
  return [
    'account_update',
    { fee: '0.000000 COIN', account, ...authorities, memo_key: testKeyText(account), json_metadata: '' },
  ];
}

/** Appoints a witness of a private net, or changes its key. */
export function adminWitnessUpdate(owner: string, keyName: string, maximum_block_size = 131_072): Json {
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size, price_feeds: [] };
  return [
    'admin_witness_update',
    { fee: '0.000000 COIN', owner, url: 'u', block_signing_key: testKeyText(keyName), props },
  ];
}

/**
 * Two nodes of one chain, whose four witnesses part: those of `HERE` go on with the first node, those of `THERE` with
 * the second, and neither side makes a block irreversible.
 */
export class ForkedChains {
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore = new MemoryStore();
  readonly here: Chain;
  readonly there: Chain;
  readonly #beginning: VerifiedBlock[] = [];
  readonly #theirs: VerifiedBlock[] = [];

  /** `maximum_block_size` is what each of the witnesses asks for. */
  constructor({ rules, isPrivateNet }: KindOfChain, maximum_block_size = 131_072) {
    const named = [...people, ...STAFF].map((name) => ({ name, key: testKeyText(name), balance: 10_000_000_000_000 }));
    this.parameters = testParameters(
      {
        ...{ max_witnesses: 4, max_voted_witnesses: 4, max_runner_witnesses: 0, confirmations_from_block: 1 },
        ...{ initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 },
        ...{ initial_accounts: named, is_private_net: isPrivateNet },
      },
      rules,
    );
    this.here = openChain(this.parameters, this.store);
    this.there = openChain(this.parameters);
    this.#together();
    for (const owner of ['alice', ...THERE])
      if (isPrivateNet) this.before([adminWitnessUpdate(owner, owner, maximum_block_size)], 'initminer');
      else this.before([witnessUpdate(owner, owner, maximum_block_size)], owner);
    do this.#together();
    while (scheduledNames(this.here.committed.only(witnessSchedule)).length < 4);
    for (let number = 0; number < 8; number++) this.#together();
  }

  /** A transaction in a block of both nodes, and time enough for the next change of an owner. */
  before(operations: readonly Json[], ...signers: readonly string[]): void {
    this.here.accept(makeTransaction(this.here, this.parameters, operations, signers));
    this.#together();
  }

  /** So much time passes on both nodes. */
  wait(seconds: number): void {
    const slots = Math.ceil(seconds / this.parameters.blockIntervalSeconds);
    this.#share(produce(this.here, slots));
  }

  /** A transaction for the second node. */
  transaction(operations: readonly Json[], ...signers: readonly string[]): VerifiedTransaction {
    return makeTransaction(this.there, this.parameters, operations, signers);
  }

  /** Creates an account on both nodes, or on the second alone; returns its name. */
  create(creator: string, name_seed: string, authority: Json, where: 'both' | 'B' = 'both'): string {
    const chain = where === 'both' ? this.here : this.there;
    const names = (): string[] => chain.committed.range(accounts.by_id, { limit: 1000 }).map(({ name }) => name);
    const known = new Set(names());
    const keys = { owner: authority, active: authority, memo_key: testKeyText('memo') };
    const operation: Json = [
      'account_create',
      { fee: '0.950000 COIN', creator, name_seed, ...keys, json_metadata: '' },
    ];
    if (where === 'both') this.before([operation], creator);
    else this.onB([operation], creator);
    return present(
      names().find((name) => !known.has(name)),
      'a new account',
    );
  }

  /** A transaction in a block of the first node alone. */
  onA(operations: readonly Json[], ...signers: readonly string[]): void {
    this.here.accept(makeTransaction(this.here, this.parameters, operations, signers));
    growSide(this.here, HERE, 1);
  }

  /** A transaction in a block of the second node alone, made by its second witness. */
  onB(operations: readonly Json[], ...signers: readonly string[]): void {
    this.there.accept(makeTransaction(this.there, this.parameters, operations, signers));
    this.#theirs.push(...growSide(this.there, ['carol'], 1));
  }

  /** Blocks of the first node alone. */
  growA(count: number): void {
    growSide(this.here, HERE, count);
  }

  /** Blocks of the second node alone; `keyNames` says with whose key a witness signs. */
  growB(count: number, keyNames: Readonly<Record<string, string>> = {}): void {
    this.#theirs.push(...growSide(this.there, THERE, count, keyNames));
  }

  /** The blocks of the second branch as they come from a peer. */
  get theirs(): VerifiedBlock[] {
    return this.#theirs.map((block) => copyBlock(this.parameters, block));
  }

  /** The first node gets the longer second branch, and ends where the second node and a fresh one end. */
  assertTaken(): void {
    assert.ok(this.there.head.number > this.here.head.number, 'the second branch is longer');
    for (const block of this.theirs) this.here.push(block);
    assert.deepEqual(headPosition(this.here), headPosition(this.there));
    const fresh = openChain(this.parameters);
    for (const block of [...this.#beginning, ...this.#theirs]) fresh.push(copyBlock(this.parameters, block));
    assert.deepEqual(headPosition(fresh), headPosition(this.there));
  }

  #together(): void {
    this.#share(produce(this.here));
  }

  #share(block: VerifiedBlock): void {
    this.#beginning.push(block);
    this.there.push(copyBlock(this.parameters, block));
  }
}

/**
 * Returns the chain's head without the irreversible block. What is irreversible depends on what else it has seen: that
 * number never falls.
 */
export function headPosition({
  head: { number, id, time, stateHash },
}: Chain): Omit<Chain['head'], 'lastIrreversible' | 'confirmed'> {
  return { number, id, time, stateHash };
}
