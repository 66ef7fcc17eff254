import { requireValid, type Operation } from '../../src/operations/operation.ts';
import { confirmedNumber } from '../../src/state/confirmed_number.ts';
import type { ChainEvent, ChainState } from '../../src/state/chain_state.ts';
import { Consequences } from '../../src/state/consequences.ts';
import { feePayer } from '../../src/state/fees.ts';
import { genesisFile, type Genesis } from '../../src/state/genesis_file.ts';
import { protocolVersion } from '../../src/state/hardforks.ts';
import { addAccount } from '../../src/state/new_account.ts';
import { chainParameters, type ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accounts, type Account } from '../../src/state/tables/account.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { economicModel, FIRST_PROTECTION_INDEX } from '../../src/state/tables/economic_model.ts';
import { hardforkProperty } from '../../src/state/tables/hardfork_property.ts';
import { tables } from '../../src/state/tables/index.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { finishVotes } from '../../src/state/votes.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { keyAuthority } from '../../src/values/authority.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import { profiles, type Profile } from '../../src/values/profile.ts';
import { present } from '../../src/base/assert.ts';
import { sha256 } from '../storage/sha256.ts';

/** When a ledger begins: 2026-11-21T00:00:00. */
export const START = 1_795_219_200;
/** The first balance of every account of a ledger, in millionths. */
export const FUNDS = 1_000_000_000n;

/** Differences of a ledger from the usual one. */
export interface LedgerOptions {
  readonly rules?: RuleSet;
  readonly isPrivateNet?: boolean;
  readonly profile?: Profile;
  /** `alice`, `bob`, `carol` and `initminer` by default. */
  readonly names?: readonly string[];
  /** Members of the genesis that differ. */
  readonly genesis?: Partial<Genesis>;
}

/** A key that belongs to nobody; each number gives another one. */
export function testKey(number: number): string {
  return `02${number.toString(16).padStart(64, '0')}`;
}

/**
 * A state that operations can be applied to without a chain around it: no signatures, no fees, no block steps. Every
 * operation gets a block of its own, so that a refused one can be shown to have left nothing.
 */
export class Ledger {
  /** Warnings to the operator. */
  readonly remarks: string[] = [];
  readonly parameters: ChainParameters;
  readonly rows: UndoSessions;
  readonly events: ChainEvent[] = [];
  readonly #store = new MemoryStore();
  readonly #state: ChainState;

  constructor({
    rules = 'interface',
    isPrivateNet = false,
    profile = present(profiles['default'], 'the default profile'),
    names = ['alice', 'bob', 'carol', 'initminer'],
    genesis = {},
  }: LedgerOptions = {}) {
    const initial = genesisFile.initial({ ...profile, dialect: 'default', operationForm: 'pair' });
    this.parameters = chainParameters(
      profile,
      { ...initial, ...genesis, rules, is_private_net: isPrivateNet },
      '0'.repeat(64),
    );
    this.rows = new UndoSessions({ committed: this.#store, register: tables, sha256, cachedBytes: 1_000_000 });
    this.#state = {
      rows: this.rows,
      parameters: this.parameters,
      isAccepting: true,
      consequences: new Consequences(),
      emit: (event) => void this.events.push(event),
      remark: (sentence) => void this.remarks.push(sentence),
    };
    this.change((state) => {
      addHead(state);
      for (const [index, name] of names.entries()) addFundedAccount(state, name, index);
    });
  }

  /** An amount of the ledger's coin, in millionths. */
  coins(amount: bigint): { amount: bigint; symbol: string } {
    return { amount, symbol: this.parameters.coinSymbol };
  }

  /** All COIN outside the pools: liquid, vesting and in escrow. */
  supply(): bigint {
    return this.rows.only(dynamicGlobalProperties).current_supply;
  }

  account(name: string): Account {
    return present(this.rows.get(accounts, name), name);
  }

  /** Returns the account that would pay the base fee of an operation of that account. */
  payerFor(name: string): string {
    return feePayer(
      this.#state,
      name,
      'base',
      this.coins(this.parameters.baseFees.get(this.parameters.coinSymbol) ?? 0n),
    );
  }

  /** Changes rows directly, in a block of its own. */
  change(how: (state: ChainState) => void): void {
    this.rows.beginBlock();
    this.#state.consequences.begin();
    how(this.#state);
    finishVotes(this.#state);
    this.#commit();
  }

  changeAccount(name: string, changes: Partial<Account>): void {
    this.change(({ rows }) => rows.put(accounts, { ...this.account(name), ...changes }));
  }

  /** Sets the head's time to `seconds` after the start; one block. */
  moveTime(seconds: number): void {
    this.change(({ rows }) => {
      const head = rows.only(dynamicGlobalProperties);
      rows.put(dynamicGlobalProperties, {
        ...head,
        time: START + seconds,
        head_block_number: head.head_block_number + 1,
      });
    });
  }

  /** Applies an operation. When it is refused, the state is as it was and the refusal is thrown. */
  apply(operation: Operation): void {
    this.rows.beginBlock();
    this.rows.beginTransaction();
    try {
      requireValid(this.#state, [operation]);
      this.#state.consequences.begin();
      operation.apply(this.#state);
      finishVotes(this.#state);
    } catch (refusal) {
      this.rows.discardTransaction();
      this.#commit();
      throw refusal;
    }
    this.rows.mergeTransaction();
    this.#commit();
  }

  #commit(): void {
    const { batch } = this.rows.seal();
    this.#store.write(batch);
    this.rows.markCommitted();
  }
}

function addHead({ rows, parameters }: ChainState): void {
  rows.put(dynamicGlobalProperties, {
    head_block_number: 1,
    head_block_id: ZERO_HASH160,
    time: START,
    current_witness: 'initminer',
    current_supply: 350_000_000_000_000n,
    total_vesting_shares: 0n,
    witness_required_vesting: 0n,
    maximum_block_size: parameters.maxBlockBytes,
    current_aslot: 1n,
    recent_slots_filled: 2n ** 128n - 1n,
    participation_count: 128,
    last_irreversible_block_num: confirmedNumber(0),
  });
  rows.put(economicModel, {
    mining_pool_from_coinbase: 37_500_000_000_000n,
    mining_pool_from_fees: 0n,
    interest_pool_from_coinbase: 97_500_000_000_000n,
    interest_pool_from_fees: 0n,
    promotion_pool: 15_000_000_000_000n,
    burn_pool: 0n,
    initial_promotion_pool: 15_000_000_000_000n,
    coinbase_block_reward: 142_694n,
    accumulated_supply: 0n,
    protection_index: FIRST_PROTECTION_INDEX,
    protection_bound: 0n,
    protection_issued: 0n,
    promotion_withdrawn: 0n,
  });
  rows.put(hardforkProperty, {
    processed_hardforks: [START, ...parameters.hardforks.map(() => START)],
    last_hardfork: parameters.hardforks.length,
    current_hardfork_version: protocolVersion(parameters.hardforks),
    next_hardfork: 0,
    next_hardfork_time: 0,
  });
  rows.put(witnessSchedule, {
    current_virtual_time: 0n,
    next_shuffle_block_num: 51,
    current_shuffled_witnesses: ['initminer'],
    num_scheduled_witnesses: 1,
    top19_weight: 1,
    timeshare_weight: 0,
    witness_pay_normalization_factor: 1,
    account_creation_fee: { amount: parameters.minAccountCreationFee, symbol: parameters.coinSymbol },
    maximum_block_size: parameters.maxBlockBytes,
    majority_version: 0,
  });
}

function addFundedAccount(state: ChainState, name: string, index: number): void {
  const authority = keyAuthority(testKey(index + 1));
  const added = addAccount(state, {
    name,
    memo_key: testKey(index + 1),
    owner: authority,
    active: authority,
    created: START,
    recovery_account: 'initminer',
  });
  state.rows.put(accounts, { ...added, balance: FUNDS });
}
