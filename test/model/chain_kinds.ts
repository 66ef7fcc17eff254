import type { Json } from '../../src/codec/json.ts';
import { NEVER } from '../../src/values/limits.ts';
import { timeText } from '../../src/values/time.ts';
import { hourlyBlocks, testKeyText, people, testGenesis } from '../builders/chain.ts';
import type { SlotGaps } from './compared_chain.ts';
import type { Genesis } from './parameters.ts';

/** A kind of chain: what its genesis says, how fast its time passes, and who are its witnesses from the beginning. */
export interface ChainKind {
  readonly genesis: Readonly<Record<string, Json>>;
  readonly gaps: SlotGaps;
  readonly witnesses?: readonly string[];
}

const account = (name: string, balance: number): Json => ({ name, key: testKeyText(name), balance });
/** So many that the turn for interest comes to somebody in each of the first blocks. */
const holders = Array.from({ length: 50 }, (_, index) => account(`holder${index}`, 1_000_000_007 * (index + 1)));
const candidates = ['frank', 'grace', 'heidi', 'ivan', 'judy', 'mallory'];

const FREE_WITNESSES = { initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 };

/** Chains of all kinds, each with what the others lack. */
export const chainKinds: Readonly<Record<string, ChainKind>> = {
  // An hour a block: rewards and interest begin after 24 blocks.
  hourly: {
    genesis: {
      ...hourlyBlocks,
      witness_vesting_increase_days: 3,
      initial_accounts: [...people.map((name) => account(name, 10_000_000_000_000)), ...holders],
    },
    gaps: { gapPercent: 12, longestGap: 400 },
  },
  // Small rounds of many witnesses, most of them by time; odd amounts; what is vested stays.
  contested: {
    genesis: {
      ...FREE_WITNESSES,
      block_interval: 1800,
      max_witnesses: 4,
      max_voted_witnesses: 1,
      max_account_witness_votes: 2,
      initial_balace: 123_456_789_012_347,
      total_supply: 499_999_999_999_979,
      coinbase_years: 7,
      burn_fee_percentage: 999,
      promotion_pool_percentage: 1001,
      mining_pool_percentage: 2497,
      interest_pool_percentage: 6502,
      dilution_protection_percent: 73,
      minimum_vesting_seconds: 40_000,
      vesting_withdraw_intervals: 5,
      vesting_withdraw_interval_seconds: 5000,
      confirmations_from_block: 1,
      max_allowed_bandwidth: 300,
      limit_bandwidth_blocks: 7,
      max_transaction_size: 4096,
      initial_accounts: [
        ...people.map((name, index) => account(name, 10_000_000_000_000 + index)),
        ...candidates.map((name) => account(name, 1_000_003)),
        {
          name: 'owned',
          key: `${testKeyText('x').slice(0, 3)}1111111111111111111111111111111114T1Anm`,
          balance: 5_000_000,
        },
      ],
    },
    gaps: { gapPercent: 10, longestGap: 100 },
    witnesses: candidates,
  },
  // A day a block: interest from the second block on, the coinbase is over after a year. Blocks are late, or no
  // transaction would live.
  daily: {
    genesis: {
      ...FREE_WITNESSES,
      block_interval: 86_400,
      max_witnesses: 3,
      max_voted_witnesses: 2,
      coinbase_years: 1,
      initial_balace: 111_222_333_444_555,
      initial_accounts: [...people.map((name) => account(name, 10_000_000_000_000)), ...holders],
      confirmations_from_block: 3,
      minimum_vesting_seconds: 0,
    },
    gaps: { gapPercent: 15, longestGap: 20 },
  },
  // Three seconds a block, as in earnest.
  quick: {
    genesis: {
      ...FREE_WITNESSES,
      dilution_protection_percent: 0,
      max_witnesses: 7,
      max_voted_witnesses: 2,
      minimum_vesting_seconds: 600,
      confirmations_from_block: 20,
    },
    gaps: { gapPercent: 15, longestGap: 30_000 },
  },
  // Begins before the hardforks, which the witnesses have to vote for.
  old: {
    genesis: {
      ...FREE_WITNESSES,
      genesis_time: '2018-11-25T12:00:00',
      block_interval: 3600,
      max_witnesses: 3,
      max_voted_witnesses: 2,
      witness_vesting_increase_days: 2,
    },
    gaps: { gapPercent: 35, longestGap: 400 },
  },
  // In its last three months, when more and more of what operations promise would fall due behind the end of time.
  ending: {
    genesis: {
      ...FREE_WITNESSES,
      genesis_time: timeText(NEVER - (NEVER % 3600) - 80 * 86_400),
      block_interval: 3600,
      max_witnesses: 3,
      max_voted_witnesses: 2,
      minimum_vesting_seconds: 40 * 86_400,
      confirmations_from_block: 20,
    },
    gaps: { gapPercent: 90, longestGap: 60 },
  },
  // A net of its own: neither money nor votes.
  private: {
    genesis: {
      is_private_net: true,
      block_interval: 600,
      max_witnesses: 4,
      max_voted_witnesses: 3,
      max_allowed_ops: 20,
    },
    gaps: { gapPercent: 12, longestGap: 500 },
  },
};

/** Members that the lineage's genesis doesn't have. */
const OURS: ReadonlySet<string> = new Set([
  'dilution_protection_percent',
  'minimum_vesting_seconds',
  'vesting_withdraw_intervals',
  'vesting_withdraw_interval_seconds',
  'confirmations_from_block',
]);

export function makeGenesis(
  { genesis }: ChainKind,
  rules: 'interface' | 'lineage',
): Genesis & { [member: string]: Json } {
  const members = Object.entries(genesis).filter(([member]) => rules === 'interface' || !OURS.has(member));
  return testGenesis(Object.fromEntries(members), rules);
}
