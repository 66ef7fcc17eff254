import { Fault } from '../../base/fault.ts';
import { updateKeyIndex } from '../../state/authorities.ts';
import { turnsUntilInterest } from '../../state/balance.ts';
import type { ChainState } from '../../state/chain_state.ts';
import { confirmedNumber } from '../../state/confirmed_number.ts';
import { addAccount, type NewAccount } from '../../state/new_account.ts';
import {
  coins,
  INIT_MINER_ACCOUNT,
  MINERS_ACCOUNT,
  NULL_ACCOUNT,
  type ChainParameters,
} from '../../state/parameters.ts';
import { genesisPools, initialSupply } from '../../state/sound_genesis.ts';
import { accounts } from '../../state/tables/account.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { economicModel, FIRST_PROTECTION_INDEX } from '../../state/tables/economic_model.ts';
import { feedHistories } from '../../state/tables/feed_history.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { scheduledBy, witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { addWitness } from '../../state/witnesses.ts';
import { requireRow } from '../../state/lookups.ts';
import type { AccountName } from '../../values/account_name.ts';
import { accountAuthority, keyAuthority, type Authority } from '../../values/authority.ts';
import { TEMP_ACCOUNT } from '../../values/reserved_accounts.ts';
import { ZERO_HASH160 } from '../../values/hash.ts';
import { UINT128_MAX } from '../../values/limits.ts';
import { fiatSymbols } from '../../values/profile.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import { makeVersion } from '../../values/version.ts';

/** Writes the state before the first block, in the order that determines the ids (chain_rules.md#genesis). */
export function writeGenesis(state: ChainState): void {
  addReservedAccounts(state);
  addFirstWitness(state);
  addInitialAccounts(state);
  const supply = initialSupply(state.parameters.genesis);
  putGlobalProperties(state, supply);
  putEconomicModel(state);
  putFeedHistories(state);
  putHardforks(state);
  putSchedule(state);
}

const IMPOSSIBLE: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };
const OPEN: Authority = { weight_threshold: 0, account_auths: [], key_auths: [] };

function addReservedAccounts(state: ChainState): void {
  const { genesis } = state.parameters;
  for (const name of [MINERS_ACCOUNT, NULL_ACCOUNT])
    addGenesisAccount(state, { name, owner: IMPOSSIBLE, active: IMPOSSIBLE }, 0n);
  addGenesisAccount(state, { name: TEMP_ACCOUNT, owner: OPEN, active: OPEN }, 0n);
  const key = keyAuthority(genesis.initial_public_key);
  const initminer = { name: INIT_MINER_ACCOUNT, memo_key: genesis.initial_public_key, owner: key, active: key };
  addGenesisAccount(state, initminer, genesis.initial_balace);
}

function addInitialAccounts(state: ChainState): void {
  for (const { name, key, balance } of state.parameters.genesis.initial_accounts) {
    const active = keyAuthority(key);
    // The null key belongs to no one, so the first witness owns such an account.
    const owner = key === NULL_KEY ? accountAuthority(INIT_MINER_ACCOUNT) : active;
    const guards = { recovery_account: INIT_MINER_ACCOUNT, reset_account: INIT_MINER_ACCOUNT };
    addGenesisAccount(state, { name, memo_key: key, owner, active, ...guards }, balance);
  }
}

const LINEAGE_TURNS = 2; // for which the lineage counts genesis balances, whenever an account's turn comes

type GenesisAccount = Pick<NewAccount, 'name' | 'owner' | 'active'> & Partial<NewAccount>;

function addGenesisAccount(state: ChainState, account: GenesisAccount, balance: bigint): void {
  const { genesis, rules } = state.parameters;
  const row = addAccount(state, { memo_key: NULL_KEY, created: 0, recovery_account: '', ...account });
  // Where inactive accounts can be reset, these count as active at the start of the chain.
  const last_activity = rules.reset_inactivity_seconds > 0 ? genesis.genesis_time : 0;
  const turns = rules.exact_interest_turns ? turnsUntilInterest(state.parameters, row, 0) : LINEAGE_TURNS;
  const holdings_considered_for_interests = balance * BigInt(turns);
  state.rows.put(accounts, { ...row, mined: true, balance, holdings_considered_for_interests, last_activity });
  if (rules.complete_key_index) updateKeyIndex(state, account.name, undefined);
}

function addFirstWitness(state: ChainState): void {
  const { parameters } = state;
  const props = {
    account_creation_fee: coins(parameters, parameters.isPrivateNet ? 0n : parameters.minAccountCreationFee),
    maximum_block_size: parameters.minBlockSizeLimit * 2,
  };
  const owner: AccountName = INIT_MINER_ACCOUNT;
  addWitness(state, owner, { url: '', block_signing_key: parameters.initialSigningKey, props }, 0);
  state.rows.put(witnesses, { ...requireRow(state.rows, witnesses, owner, owner), schedule: scheduledBy.votes });
}

function putGlobalProperties(state: ChainState, current_supply: bigint): void {
  const { genesis, isPrivateNet, maxBlockBytes } = state.parameters;
  state.rows.put(dynamicGlobalProperties, {
    head_block_number: 0,
    head_block_id: ZERO_HASH160,
    time: genesis.genesis_time,
    current_witness: INIT_MINER_ACCOUNT,
    current_supply,
    total_vesting_shares: 0n,
    witness_required_vesting: isPrivateNet ? 0n : genesis.initial_witness_req_vesting_balance,
    maximum_block_size: maxBlockBytes,
    current_aslot: 0n,
    recent_slots_filled: UINT128_MAX,
    participation_count: 128,
    last_irreversible_block_num: confirmedNumber(0),
  });
}

/** Splits the coins that are not issued yet between the pools (chain_rules.md#pools). */
function putEconomicModel(state: ChainState): void {
  const { genesis, rules, coinbaseBlocks } = state.parameters;
  const { mining, interest, promotion } = genesisPools(genesis, rules);
  state.rows.put(economicModel, {
    mining_pool_from_coinbase: mining,
    mining_pool_from_fees: 0n,
    interest_pool_from_coinbase: interest,
    interest_pool_from_fees: 0n,
    promotion_pool: promotion,
    burn_pool: 0n,
    initial_promotion_pool: promotion,
    coinbase_block_reward: mining / BigInt(coinbaseBlocks),
    accumulated_supply: 0n,
    protection_index: FIRST_PROTECTION_INDEX,
    protection_bound: 0n,
    protection_issued: 0n,
    promotion_withdrawn: 0n,
  });
}

function putFeedHistories(state: ChainState): void {
  const nothing = coins(state.parameters, 0n);
  const current_median_history = { base: nothing, quote: nothing };
  for (const symbol of fiatSymbols) {
    state.rows.put(feedHistories, {
      id: state.rows.nextId(feedHistories),
      symbol,
      current_median_history,
      price_history: [],
    });
  }
}

function putHardforks(state: ChainState): void {
  state.rows.put(hardforkProperty, {
    processed_hardforks: [state.parameters.genesis.genesis_time],
    last_hardfork: 0,
    current_hardfork_version: makeVersion(1, 0, 0),
    next_hardfork: 0,
    next_hardfork_time: 0,
  });
}

// Until the first schedule is made, these are the lineage's initial values.
function putSchedule(state: ChainState): void {
  const { parameters } = state;
  state.rows.put(witnessSchedule, {
    current_virtual_time: 0n,
    next_shuffle_block_num: 1,
    current_shuffled_witnesses: [INIT_MINER_ACCOUNT],
    num_scheduled_witnesses: 1,
    top19_weight: 21,
    timeshare_weight: 63,
    witness_pay_normalization_factor: 25,
    account_creation_fee: coins(parameters, parameters.minAccountCreationFee),
    maximum_block_size: parameters.maxBlockBytes,
    majority_version: 0,
  });
}

/** Throws Fault `configuration` for the genesis of a fork, which doesn't say what the accounts have. */
export function requireOwnBeginning({ fork }: ChainParameters): void {
  if (fork === undefined) return;
  const { chain_id: id, block_number: number } = fork;
  throw new Fault(
    'configuration',
    `this chain begins with the state of chain ${id} behind block ${number}, which is not here: pharos dev --fork takes it from a snapshot of that block`,
  );
}
