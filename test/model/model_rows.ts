import type { Account, Witness } from './records.ts';
import type { State } from './state.ts';
import { INTEREST_BLOCKS } from './turns.ts';
import { isLocked } from './vesting.ts';
import { COIN, FIAT, type Asset, type Authority, type Price } from './values.ts';

/** A row under the member names that the chain's tables have. */
export type Row = Readonly<Record<string, unknown>>;
/** The rows of a table, by what tells them apart. */
export type Rows = ReadonlyMap<string, Row>;

const NO_PRICE: Price = { base: { amount: 0n, symbol: COIN }, quote: { amount: 0n, symbol: COIN } };

export const authorityRow = ({ threshold, accounts, keys }: Authority): Row => ({
  weight_threshold: threshold,
  account_auths: accounts,
  key_auths: keys,
});

const coinAsset = (asset: Asset): Row => ({ amount: asset.amount, symbol: asset.symbol });
const priceRow = ({ base, quote }: Price): Row => ({ base: coinAsset(base), quote: coinAsset(quote) });

function accountRow(state: State, account: Account): Row {
  return {
    id: BigInt(account.id),
    name: account.name,
    memo_key: account.memoKey,
    proxy: account.proxy,
    last_account_update: account.lastUpdate,
    holdings_considered_for_interests: account.holdings,
    created: account.created,
    mined: account.mined,
    recovery_account: account.recoveryAccount,
    reset_account: account.resetAccount,
    last_account_recovery: account.lastRecovery,
    balance: account.balance,
    vesting_shares: account.vesting,
    vesting_withdraw_rate: account.withdrawRate,
    next_vesting_withdrawal: account.nextWithdrawal,
    withdrawn: account.withdrawn,
    to_withdraw: account.toWithdraw,
    proxied_vsf_votes: account.proxied,
    witnesses_voted_for: account.votesCast,
    sponsoring: [...state.sponsors.values()].filter((sponsor) => sponsor === account.name).length,
    vestings: [...account.buckets.values()]
      .filter(({ latest }) => isLocked(state, latest))
      .sort((a, b) => a.latest - b.latest)
      .map(({ sum, latest }) => ({ latest, shares: sum })),
    ...(state.rules.resetAfterSeconds > 0 ? { last_activity: account.lastActivity } : {}),
  };
}

function witnessRow(witness: Witness): Row {
  return {
    id: BigInt(witness.id),
    owner: witness.owner,
    created: witness.created,
    url: witness.url,
    votes: witness.votes,
    schedule: { top19: 0, timeshare: 1, none: 2 }[witness.schedule],
    virtual_last_update: witness.virtualLastUpdate,
    virtual_position: witness.virtualPosition,
    virtual_scheduled_time: witness.virtualScheduledTime,
    total_missed: witness.totalMissed,
    last_aslot: BigInt(witness.lastSlot),
    last_confirmed_block_num: BigInt(witness.lastConfirmed),
    signing_key: witness.signingKey,
    account_creation_fee: coinAsset(witness.creationFee),
    maximum_block_size: witness.maximumBlockSize,
    submitted_exchange_rates: FIAT.flatMap((fiat) => {
      const entry = witness.rates.get(fiat);
      return entry === undefined ? [] : [[fiat, { rate: priceRow(entry.rate), last_change: entry.changed }]];
    }).sort(([a], [b]) => bySymbol(String(a), String(b))),
    stopped: witness.stopped,
    running_version: witness.runningVersion,
    hardfork_version_vote: witness.hardforkVersionVote,
    hardfork_time_vote: witness.hardforkTimeVote,
  };
}

/** Symbols are numbers whose first letter counts least. */
function bySymbol(a: string, b: string): number {
  const turned = (symbol: string): string => [...symbol].reverse().join('');
  return turned(a) < turned(b) ? -1 : 1;
}

/** All accounts and what belongs to one. */
function accountTables(state: State): Record<string, Rows> {
  const accounts = [...state.accounts.values()];
  const table = (rowOf: (account: Account) => Row): Rows =>
    new Map(accounts.map((account) => [account.name, rowOf(account)]));
  return {
    account: table((account) => accountRow(state, account)),
    account_authority: table(({ name, owner, active, lastOwnerUpdate }) => ({
      account: name,
      owner: authorityRow(owner),
      active: authorityRow(active),
      last_owner_update: lastOwnerUpdate,
    })),
    account_metadata: new Map(
      accounts
        .filter(({ metadata }) => metadata !== '')
        .map(({ name, metadata }) => [name, { account: name, json_metadata: metadata }]),
    ),
    account_fee_sponsor: new Map(
      [...state.sponsors].map(([sponsored, sponsor]) => [sponsored, { sponsor, sponsored }]),
    ),
    account_bandwidth: new Map(
      [...state.bandwidths].map(([account, { bytes, operations, lastReset }]) => [
        account,
        {
          account,
          act_fee_free_bandwidth: BigInt(bytes),
          act_fee_free_ops_count: BigInt(operations),
          last_block_num_reset: lastReset,
        },
      ]),
    ),
    protection_mark: new Map(
      accounts
        .filter(({ vesting }) => vesting !== 0n && state.parameters.protectionPercent > 0n)
        .map(({ name, growth }) => [name, { account: name, index: growth }]),
    ),
    key_lookup: new Map(
      [...state.keyIndex].map((entry) => [entry, { key: entry.split(' ')[0], account: entry.split(' ')[1] }]),
    ),
  };
}

function recoveryTables(state: State): Record<string, Rows> {
  return {
    owner_authority_history: new Map(
      [...state.ownerHistories.values()].map(({ id, account, authority, lastValid }) => [
        String(id),
        { id: BigInt(id), account, previous_owner_authority: authorityRow(authority), last_valid_time: lastValid },
      ]),
    ),
    account_recovery_request: new Map(
      [...state.requests.values()].map(({ id, account, authority, expires }) => [
        account,
        { id: BigInt(id), account_to_recover: account, new_owner_authority: authorityRow(authority), expires },
      ]),
    ),
    change_recovery_account_request: new Map(
      [...state.recoveryChanges.values()].map(({ id, account, recoveryAccount, effectiveOn }) => [
        account,
        { id: BigInt(id), account_to_recover: account, recovery_account: recoveryAccount, effective_on: effectiveOn },
      ]),
    ),
  };
}

function witnessTables(state: State): Record<string, Rows> {
  return {
    witness: new Map([...state.witnesses.values()].map((witness) => [witness.owner, witnessRow(witness)])),
    witness_vote: new Map(
      [...state.votes].map(([key, { id, account, witness }]) => [key, { id: BigInt(id), witness, account }]),
    ),
    feed_history: new Map(
      [...state.feeds].map(([symbol, { median, history }]) => [
        symbol,
        { symbol, current_median_history: priceRow(median ?? NO_PRICE), price_history: history.map(priceRow) },
      ]),
    ),
  };
}

function tradeTables(state: State): Record<string, Rows> {
  return {
    escrow: new Map(
      [...state.escrows].map(([key, escrow]) => [
        key,
        {
          id: BigInt(escrow.id),
          escrow_id: escrow.escrowId,
          from: escrow.from,
          to: escrow.to,
          agent: escrow.agent,
          ratification_deadline: escrow.deadline,
          escrow_expiration: escrow.expiration,
          coin_balance: escrow.balance,
          pending_fee: escrow.pendingFee,
          to_approved: escrow.toApproved,
          agent_approved: escrow.agentApproved,
          disputed: escrow.disputed,
        },
      ]),
    ),
    application: new Map(
      [...state.applications].map(([key, { id, name, author, url, metadata, priceParam }]) => [
        key,
        { id: BigInt(id), name, author, url, metadata, price_param: priceParam },
      ]),
    ),
    application_buying: new Map(
      [...state.buyings].map(([key, { id, buyer, appId, created }]) => [
        key,
        { id: BigInt(id), buyer, app_id: BigInt(appId), created },
      ]),
    ),
  };
}

function singleTables(state: State): Record<string, Rows> {
  const { globals, economy, schedule } = state;
  const { hardforks } = state.single;
  const only = (row: Row): Rows => new Map([['', row]]);
  return {
    dynamic_global_property: only({
      head_block_number: globals.number,
      head_block_id: globals.id,
      time: globals.time,
      current_witness: globals.witness,
      current_supply: globals.supply,
      total_vesting_shares: globals.totalVesting,
      witness_required_vesting: globals.requiredVesting,
      maximum_block_size: globals.maximumBlockSize,
      current_aslot: BigInt(globals.slot),
      recent_slots_filled: globals.recentSlots,
      participation_count: globals.participation,
      last_irreversible_block_num: globals.lastIrreversible,
    }),
    economic_model: only({
      mining_pool_from_coinbase: economy.miningFromCoinbase,
      mining_pool_from_fees: economy.miningFromFees,
      interest_pool_from_coinbase: economy.interestFromCoinbase,
      interest_pool_from_fees: economy.interestFromFees,
      promotion_pool: economy.promotionPool,
      burn_pool: economy.burnPool,
      initial_promotion_pool: economy.initialPromotionPool,
      coinbase_block_reward: economy.blockReward,
      accumulated_supply: economy.accumulatedSupply,
      protection_index: economy.growth,
      protection_bound: economy.owedBound,
      protection_issued: economy.issued,
      promotion_withdrawn: economy.countedPromotion,
    }),
    witness_schedule: only({
      current_virtual_time: schedule.virtualTime,
      next_shuffle_block_num: schedule.nextShuffleBlock,
      current_shuffled_witnesses: schedule.witnesses,
      num_scheduled_witnesses: schedule.scheduled,
      top19_weight: schedule.top19Weight,
      timeshare_weight: schedule.timeshareWeight,
      witness_pay_normalization_factor: schedule.payNormalization,
      account_creation_fee: coinAsset(schedule.creationFee),
      maximum_block_size: schedule.maximumBlockSize,
      majority_version: schedule.majorityVersion,
    }),
    hardfork_property: only({
      processed_hardforks: hardforks.processed,
      last_hardfork: hardforks.last,
      current_hardfork_version: hardforks.current,
      next_hardfork: hardforks.next,
      next_hardfork_time: hardforks.nextTime,
    }),
    historic_supply: new Map(
      [...state.historicSupply]
        .filter(([slot]) => slot < INTEREST_BLOCKS)
        .map(([slot, supply]) => [String(slot), { supply }]),
    ),
  };
}

/** Everything that the model holds, under the names of the chain's tables. */
export function modelTables(state: State): Record<string, Rows> {
  return {
    ...singleTables(state),
    ...accountTables(state),
    ...recoveryTables(state),
    ...witnessTables(state),
    ...tradeTables(state),
  };
}
