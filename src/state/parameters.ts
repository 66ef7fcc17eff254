import { shownAsset, type AssetSymbol } from '../values/asset.ts';
import type { Digest } from '../values/hash.ts';
import { NEVER } from '../values/limits.ts';
import type { Profile } from '../values/profile.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { Version } from '../values/version.ts';
import { genesisForkPoint, type ForkPoint, type Genesis } from './genesis_file.ts';
import { hasFinality, chooseRuleSet } from './read_genesis.ts';
import { knownHardforks, protocolVersion, type Hardfork } from './hardforks.ts';
import { hardforkBlocks } from './hardfork_plan.ts';
import { getRules, type Rules, type RuleSet } from './rules/index.ts';
import { initialSupply } from './sound_genesis.ts';

/** All constants of a chain: given by its genesis and profile, or derived from them (chain_rules.md#constants). */
export interface ChainParameters {
  readonly profile: Profile;
  readonly genesis: Genesis;
  readonly chainId: Digest;
  readonly rules: Rules;
  readonly ruleSet: RuleSet;
  /** The hardforks that this software supports, in order; state/hardforks.ts registers them. */
  readonly hardforks: readonly Hardfork[];
  /** The blocks that apply hardforks without votes, by the number of the hardfork; none but on development chains. */
  readonly hardforkBlocks: ReadonlyMap<number, number>;
  readonly coinSymbol: AssetSymbol;
  /** The word for the coin in the lineage's texts, where ours say COIN: its project's name. */
  readonly upperCoinName: string;
  readonly vestsSymbol: AssetSymbol;
  readonly initialSigningKey: PublicKey;
  /** The key that may act for every account; undefined but on development chains. */
  readonly impersonator: PublicKey | undefined;
  /** The point at which the chain left another one, whose state it begins with: only on development chains. */
  readonly fork: ForkPoint | undefined;
  readonly isPrivateNet: boolean;
  /** True if votes with certificates make blocks final. Otherwise confirmations do. */
  readonly hasFinality: boolean;
  readonly blockIntervalSeconds: number;
  /** The last time of a slot before 32 bits end: whatever falls due later never happens. */
  readonly lastBlockTime: Seconds;
  readonly blocksPerHour: number;
  readonly blocksPerDay: number;
  readonly blocksPerYear: number;
  readonly coinbaseBlocks: number;
  readonly startMinerVotingBlock: number;
  /** From this block on, the last irreversible block depends on what witnesses have built on. */
  readonly confirmationsFromBlock: number;
  /** The number of instalments in which vesting shares are withdrawn, and the seconds between them. */
  readonly withdrawIntervals: number;
  readonly withdrawIntervalSeconds: number;
  /** The supply from which interest is calculated. */
  readonly initialSupply: bigint;
  /** No rewards and no interest before this block; also the period in which the interest pool of fees is paid out. */
  readonly interestDelayBlocks: number;
  readonly maxTransactionBytes: number;
  /** A witness may not vote for smaller blocks. */
  readonly minBlockSizeLimit: number;
  readonly maxBlockBytes: number;
  readonly minAccountCreationFee: bigint;
  /** The base fee in each symbol accepted for fees. */
  readonly baseFees: ReadonlyMap<AssetSymbol, bigint>;
  readonly minFeeds: number;
}

export { INIT_MINER_ACCOUNT, MINERS_ACCOUNT, NULL_ACCOUNT } from '../values/reserved_accounts.ts';

/** The protocol version that this software implements, reported in block headers. */
export const BLOCKCHAIN_VERSION: Version = protocolVersion(knownHardforks);

export const ONE_HUNDRED_PERCENT = 10_000n;
/** Each account receives interest once per this many blocks. */
export const INTEREST_BLOCKS = 2400;
/** The share of witnesses, in units of 1/10 000, that makes a block irreversible. */
export const IRREVERSIBLE_THRESHOLD = 7500;
export const MAX_PROXY_RECURSION_DEPTH = 4;
export const FEED_HISTORY_WINDOW = 84;
export const MAX_FEED_AGE_SECONDS = 604_800;
export const OWNER_UPDATE_LIMIT_SECONDS = 3600;
export const OWNER_AUTH_RECOVERY_PERIOD_SECONDS = 30 * 86_400;
export const ACCOUNT_RECOVERY_REQUEST_SECONDS = 86_400;
export const CHANGE_RECOVERY_DELAY_SECONDS = 30 * 86_400;
export const SIZE_COVERED_IN_BASE_FEE = 4096;
/** The vote of a witness that never voted for a hardfork. */
export const INITIAL_HARDFORK_TIME_VOTE: Seconds = 1_531_512_800;
/** The supply from which the lineage calculates interest, whatever its genesis says. */
const INIT_SUPPLY = 350_000_000_000_000n;
/** The day on which a witness's required vesting increased, before the first hardfork changed it. */
export const WITNESS_VESTING_INCREASE_DAYS_HF0 = 96;

const VESTING_WITHDRAW_INTERVALS = 27; // in the lineage, a day apart
const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3600;
const MIN_BLOCK_SIZE_FACTOR = 16;
const LARGEST_BLOCK_BYTES = 0xffff_ffff;

/** Derives all parameters. `initialSigningKey` overrides genesis and profile. */
export function chainParameters(
  profile: Profile,
  genesis: Genesis,
  chainId: Digest,
  initialSigningKey?: PublicKey,
): ChainParameters {
  const ruleSet = chooseRuleSet(genesis, profile);
  const rules = getRules(ruleSet);
  const interval = genesis.block_interval;
  const blocksPerDay = Math.trunc((24 * SECONDS_PER_HOUR) / interval);
  const blocksPerYear = Math.trunc((365 * 24 * SECONDS_PER_HOUR) / interval);
  return {
    profile: { ...profile, readsLineage: ruleSet === 'lineage' },
    genesis,
    chainId,
    rules,
    ruleSet,
    hardforks: knownHardforks,
    hardforkBlocks: hardforkBlocks(genesis.hardfork_blocks),
    coinSymbol: profile.coinSymbol,
    upperCoinName: profile.coinName.toUpperCase(),
    vestsSymbol: profile.vestsSymbol,
    initialSigningKey: initialSigningKey ?? genesisSigningKey(genesis, profile),
    impersonator: genesis.impersonator === NULL_KEY ? undefined : genesis.impersonator,
    fork: genesisForkPoint(genesis),
    isPrivateNet: genesis.is_private_net,
    hasFinality: hasFinality(genesis, ruleSet),
    blockIntervalSeconds: interval,
    lastBlockTime: NEVER - 1 - ((NEVER - 1) % interval),
    // If blocks are more than an hour apart, each is the first of its hour.
    blocksPerHour: Math.max(Math.trunc(SECONDS_PER_HOUR / interval), 1),
    blocksPerDay,
    blocksPerYear,
    coinbaseBlocks: blocksPerYear * genesis.coinbase_years,
    startMinerVotingBlock: 7 * blocksPerDay,
    confirmationsFromBlock: rules.early_confirmations ? genesis.confirmations_from_block : 7 * blocksPerDay,
    withdrawIntervals: rules.genesis_sets_withdrawals ? genesis.vesting_withdraw_intervals : VESTING_WITHDRAW_INTERVALS,
    withdrawIntervalSeconds: rules.genesis_sets_withdrawals
      ? genesis.vesting_withdraw_interval_seconds
      : SECONDS_PER_DAY,
    initialSupply: rules.sound_economy ? initialSupply(genesis) : INIT_SUPPLY,
    interestDelayBlocks: blocksPerDay,
    maxTransactionBytes: genesis.max_transaction_size,
    minBlockSizeLimit: genesis.max_transaction_size * MIN_BLOCK_SIZE_FACTOR,
    // Rows and votes store it in 32 bits.
    maxBlockBytes: Math.min(genesis.max_transaction_size * interval * genesis.max_block_size, LARGEST_BLOCK_BYTES),
    minAccountCreationFee: BigInt(genesis.min_acc_creation_fee),
    baseFees: baseFees(profile, genesis),
    minFeeds: Math.trunc(genesis.max_witnesses / 10),
  };
}

function genesisSigningKey(genesis: Genesis, profile: Profile): PublicKey {
  return genesis.initial_signing_key === NULL_KEY ? profile.initialSigningKey : genesis.initial_signing_key;
}

function baseFees(profile: Profile, genesis: Genesis): ReadonlyMap<AssetSymbol, bigint> {
  return new Map([
    [profile.coinSymbol, BigInt(genesis.base_fee)],
    ['USD', BigInt(genesis.base_fee_usd)],
    ['EUR', BigInt(genesis.base_fee_eur)],
    ['CHF', BigInt(genesis.base_fee_chf)],
    ['CNY', BigInt(genesis.base_fee_cny)],
    ['GBP', BigInt(genesis.base_fee_gbp)],
  ]);
}

/** An amount of the chain's coin. */
export function coins(parameters: ChainParameters, amount: bigint): { amount: bigint; symbol: AssetSymbol } {
  return { amount, symbol: parameters.coinSymbol };
}

/** An amount of the chain's coin, formatted for display. */
export function shownCoins(parameters: ChainParameters, amount: bigint): string {
  return shownAsset(coins(parameters, amount));
}

/** An amount of vesting shares, formatted for display. */
export function shownVests(parameters: ChainParameters, amount: bigint): string {
  return shownAsset(vests(parameters, amount));
}

/** An amount of vesting shares. */
export function vests(parameters: ChainParameters, amount: bigint): { amount: bigint; symbol: AssetSymbol } {
  return { amount, symbol: parameters.vestsSymbol };
}
