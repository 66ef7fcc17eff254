import { assert, present } from '../../src/base/assert.ts';
import { NULL_ACCOUNT } from '../../src/state/parameters.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ChainState } from '../../src/state/chain_state.ts';
import { headProperties } from '../../src/state/chain_state.ts';
import { addAccount } from '../../src/state/new_account.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accounts, type Account } from '../../src/state/tables/account.ts';
import { witnesses, type Witness } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { addWitness } from '../../src/state/witnesses.ts';
import type { MutableRows } from '../../src/storage/rows.ts';
import { nameFromSeed, type AccountName } from '../../src/values/account_name.ts';
import type { Asset } from '../../src/values/asset.ts';
import { keyAuthority, type Authority } from '../../src/values/authority.ts';
import { deriveDevKey } from '../../src/dev_chain/dev_genesis.ts';
import { DevChain } from '../dev_chain.ts';

/** Holds enough for any fee. */
const PURSE = 1_000_000_000_000n;
/** Others gave a witness these votes before the run, so that its votes stay above zero. */
const EARLIER_VOTES = 100_000_000_000_000n;
export const LARGEST_TRANSACTION = 8192;

/**
 * A chain of its own on the disk, into whose rows a scenario writes directly what it needs: no need for millions of
 * signed transactions. Whoever plays a part is found by a seed, as names of accounts are, and has alice's key.
 */
export class Stage {
  readonly dev: DevChain;
  readonly rules: RuleSet;
  readonly key = deriveDevKey('alice');

  private constructor(dev: DevChain, rules: RuleSet) {
    this.dev = dev;
    this.rules = rules;
  }

  static async open(rules: RuleSet, blocks: number): Promise<Stage> {
    const dev = await DevChain.open({ durable: false, rules });
    for (let block = 0; block < blocks; block++) dev.seal();
    return new Stage(dev, rules);
  }

  get state(): ChainState {
    return present(this.#state, 'the stage is being set');
  }

  get rows(): MutableRows {
    return this.state.rows;
  }

  #state: ChainState | undefined;

  /** Writes rows, as if they had always been there. */
  set<T>(scene: (stage: this) => T): T {
    return this.dev.writeRows((state) => {
      this.#state = state;
      const result = scene(this);
      this.#state = undefined;
      return result;
    });
  }

  get now(): number {
    return headProperties(this.state).time;
  }

  coins(amount: bigint): Asset {
    return { amount, symbol: this.dev.parameters.coinSymbol };
  }

  vests(amount: bigint): Asset {
    return { amount, symbol: this.dev.parameters.vestsSymbol };
  }

  /** Makes these the witnesses of the round, with the one that produces. */
  enrol(some: readonly AccountName[]): void {
    const schedule = this.rows.only(witnessSchedule);
    const names = [...schedule.current_shuffled_witnesses.slice(0, 1), ...some];
    this.rows.put(witnessSchedule, {
      ...schedule,
      current_shuffled_witnesses: [...names, ...schedule.current_shuffled_witnesses.slice(names.length)],
    });
  }

  get fee(): Asset {
    return this.coins(10_000n);
  }

  get noFee(): Asset {
    return this.coins(0n);
  }

  /** An account, perhaps with members that differ. */
  account(seed: string, changes: Partial<Account> = {}, authority: Authority = keyAuthority(this.key)): AccountName {
    const name = nameFromSeed(seed);
    const { now } = this;
    const row = addAccount(this.state, {
      name,
      memo_key: this.key,
      owner: authority,
      active: authority,
      created: now,
      recovery_account: 'alice',
    });
    this.rows.put(accounts, { ...row, balance: PURSE, vesting_shares: PURSE, ...changes });
    return name;
  }

  accounts(count: number, seed: string, changes: Partial<Account> = {}): AccountName[] {
    return Array.from({ length: count }, (_, index) => this.account(`${seed} ${index}`, changes));
  }

  witness(seed: string, changes: Partial<Witness> = {}): AccountName {
    const owner = this.account(seed);
    const props = { account_creation_fee: this.coins(1_000_000n), maximum_block_size: 262_144 };
    addWitness(this.state, owner, { url: '', block_signing_key: this.key, props }, this.now);
    const row = present(this.rows.get(witnesses, owner), 'a witness');
    this.rows.put(witnesses, { ...row, votes: EARLIER_VOTES, ...changes });
    return owner;
  }

  /** So many witnesses. */
  witnesses(count: number, changes: Partial<Witness> = {}): AccountName[] {
    return Array.from({ length: count }, (_, index) => this.witness(`witness ${index}`, changes));
  }

  /** Lets an account vote for these. */
  vote(account: AccountName, some: Iterable<AccountName>): void {
    const chosen = new Set(some);
    for (const witness of chosen) this.rows.put(witnessVotes, { id: this.rows.nextId(witnessVotes), witness, account });
    const voter = present(this.rows.get(accounts, account), account);
    this.rows.put(accounts, { ...voter, witnesses_voted_for: chosen.size });
  }

  /** Accounts of which each votes for so many, all of them for as many different ones as `pool` allows. */
  voters(
    count: number,
    votes: number,
    pool: readonly AccountName[],
    seed = 'voter',
    changes: Partial<Account> = {},
  ): AccountName[] {
    return Array.from({ length: count }, (_, index) => {
      const name = this.account(`${seed} ${index}`, changes);
      this.vote(
        name,
        Array.from(
          { length: pool.length === 0 ? 0 : votes },
          (__, vote) => pool[(index * votes + vote) % pool.length] ?? NULL_ACCOUNT,
        ),
      );
      return name;
    });
  }

  /** As many of the operations as a transaction holds. */
  transaction(operations: readonly Operation[], signer: string): VerifiedTransaction {
    const signers = [deriveDevKey(signer)];
    assert(operations.length > 0, 'a transaction does something');
    const all = this.dev.signedBy(operations, signers);
    if (all.packed.length <= LARGEST_TRANSACTION) return all;
    let [most, tooMany] = [1, operations.length];
    while (tooMany - most > 1) {
      const middle = (most + tooMany) >> 1;
      if (this.dev.signedBy(operations.slice(0, middle), signers).packed.length <= LARGEST_TRANSACTION) most = middle;
      else tooMany = middle;
    }
    return this.dev.signedBy(operations.slice(0, most), signers);
  }

  /** A chain over these rows that has none of them in memory. */
  chain(): Chain {
    return this.dev.reopened();
  }

  close(): Promise<void> {
    return this.dev.close();
  }
}
