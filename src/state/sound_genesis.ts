import { Refusal } from '../base/refusal.ts';
import { INT64_MAX, NEVER } from '../values/limits.ts';
import { reservedAccounts } from '../values/reserved_accounts.ts';
import { timeText } from '../values/time.ts';
import type { Genesis } from './genesis_file.ts';
import { genesisMemberList } from './genesis_members.ts';
import type { Rules } from './rules/index.ts';

const WHOLE = 10_000; // hundredths of a percent

/** An account that holds everything earns interest on 2 400 times that amount, which must fit 63 bits. */
const LARGEST_SUPPLY = INT64_MAX / 2400n;
/**
 * Incoming coins may count for one period too little, outgoing coins for nearly two; below this supply neither
 * overflows.
 */
const LARGEST_INEXACT_SUPPLY = INT64_MAX / 4800n;
/** Protection issues or owes at most nine coins for each coin that it counts (chain_rules.md#dilution-protection). */
const PROTECTED_COINS = 9n;

/** The pools into which coins not yet in circulation are divided at genesis (chain_rules.md#pools). */
export interface GenesisPools {
  readonly mining: bigint;
  readonly interest: bigint;
  readonly promotion: bigint;
}

/** The sum of all genesis balances. */
export function initialSupply({ initial_balace, initial_accounts }: Genesis): bigint {
  return initial_accounts.reduce((sum, { balance }) => sum + balance, initial_balace);
}

/** The pools of a genesis. With a sound economy the promotion pool gets the remainder, so that no unit is lost. */
export function genesisPools(genesis: Genesis, rules: Rules): GenesisPools {
  const coinbase = genesis.total_supply - initialSupply(genesis);
  const share = (percentage: number): bigint => (coinbase * BigInt(percentage)) / BigInt(WHOLE);
  const mining = share(genesis.mining_pool_percentage);
  const interest = share(genesis.interest_pool_percentage);
  const promotion = rules.sound_economy ? coinbase - mining - interest : share(genesis.promotion_pool_percentage);
  return { mining, interest, promotion };
}

/** Refuses a genesis that no chain could run with, and names the member. */
export function requireSound(genesis: Genesis, rules: Rules): void {
  requireRanges(genesis);
  requireNewNames(genesis);
  requireSoundBalances(genesis, rules.exact_interest_turns ? LARGEST_SUPPLY : LARGEST_INEXACT_SUPPLY);
  if (!rules.sound_economy) return;
  requireWholePercentages(genesis);
  requireReachableTimes(genesis);
  requireRoomForProtection(genesis, rules);
}

function requireRanges(genesis: Genesis): void {
  for (const [name, { range }] of genesisMemberList) {
    if (range !== undefined) requireRange(name, Number(genesis[name]), ...range);
  }
  requireRange('genesis_time', genesis.genesis_time, 0, NEVER - 2 * genesis.block_interval); // room for a block
  requireRange('max_voted_witnesses', genesis.max_voted_witnesses, 0, genesis.max_witnesses);
}

const poolPercentages = ['promotion_pool_percentage', 'mining_pool_percentage', 'interest_pool_percentage'] as const;

/**
 * Requires new, distinct and non-empty account names: an empty name means no proxy, no sponsor, no recovery account.
 */
function requireNewNames({ initial_accounts }: Genesis): void {
  const names = initial_accounts.map(({ name }) => name);
  if (new Set(names).size !== names.length) refuse('initial_accounts: a name stands twice');
  if (names.includes('')) refuse('initial_accounts: a name is empty');
  const reserved = names.find((name) => reservedAccounts.includes(name));
  if (reserved !== undefined) refuse(`initial_accounts: every chain has the account ${reserved} already`);
}

function requireSoundBalances(genesis: Genesis, largestSupply: bigint): void {
  if (genesis.total_supply < 0n || genesis.total_supply > largestSupply) {
    refuse(`total_supply: 0 to ${largestSupply} expected, got ${genesis.total_supply}`);
  }
  if (genesis.initial_balace < 0n) refuse('initial_balace is negative');
  const negative = genesis.initial_accounts.find(({ balance }) => balance < 0n);
  if (negative !== undefined) refuse(`initial_accounts: ${negative.name} has a negative balance`);
  const balances = initialSupply(genesis);
  if (balances > genesis.total_supply)
    refuse(`initial balances sum to ${balances}, more than total_supply ${genesis.total_supply}`);
}

function requireWholePercentages(genesis: Genesis): void {
  const sum = poolPercentages.reduce((total, member) => total + genesis[member], 0);
  if (sum !== WHOLE) refuse(`${poolPercentages.join(', ')}: together ${WHOLE} expected, got ${sum}`);
}

/** A withdrawal or a lock that ends after the last block, even if it begins with the chain, would always be refused. */
function requireReachableTimes(genesis: Genesis): void {
  const {
    genesis_time,
    vesting_withdraw_intervals,
    vesting_withdraw_interval_seconds,
    minimum_vesting_seconds,
    is_private_net,
  } = genesis;
  if (is_private_net) return;
  const withdrawal = vesting_withdraw_intervals * vesting_withdraw_interval_seconds;
  requireReachable('vesting_withdraw_intervals × vesting_withdraw_interval_seconds', genesis_time, withdrawal);
  requireReachable('minimum_vesting_seconds', genesis_time, minimum_vesting_seconds);
}

function requireReachable(member: string, genesisTime: number, seconds: number): void {
  if (genesisTime + seconds < NEVER) return;
  refuse(
    `${member}: ${seconds} seconds after genesis_time are ${timeText(genesisTime + seconds)}, and the chain counts time up to ${timeText(NEVER)}`,
  );
}

function requireRoomForProtection(genesis: Genesis, rules: Rules): void {
  if (genesis.dilution_protection_percent === 0 || !rules.dilution_protection) return;
  const { mining, promotion } = genesisPools(genesis, rules);
  const most = genesis.total_supply + PROTECTED_COINS * (mining + promotion);
  if (most > LARGEST_SUPPLY)
    refuse(
      `total_supply with nine times the ${mining + promotion} coins that protection counts is ${most}, at most ${LARGEST_SUPPLY} fits`,
    );
}

function requireRange(member: string, value: number, lowest: number, highest: number): void {
  if (value < lowest || value > highest) refuse(`${member}: ${lowest} to ${highest} expected, got ${value}`);
}

function refuse(sentence: string): never {
  throw new Refusal('bad_genesis', sentence);
}
