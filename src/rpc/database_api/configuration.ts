import type { Json } from '../../codec/json.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { integerToJson } from '../../codec/primitives.ts';
import { protectionPercent } from '../../state/dilution_protection.ts';
import * as chain from '../../state/parameters.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { assetText, DECIMALS, SATOSHIS } from '../../values/asset.ts';
import { TEMP_ACCOUNT } from '../../values/reserved_accounts.ts';
import {
  MAX_APPLICATION_NAME_BYTES,
  MAX_MEMO_BYTES,
  MAX_NAME_SEED_BYTES,
  MAX_SECONDS_UNTIL_EXPIRATION,
  MAX_SIGNATURE_CHECK_DEPTH,
  MAX_URL_BYTES,
  UINT128_MAX,
  UINT64_MAX,
} from '../../values/limits.ts';
import { chooseRuleSet } from '../../state/read_genesis.ts';
import { fiatSymbols } from '../../values/profile.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { timeText } from '../../values/time.ts';
import { versionText } from '../../values/version.ts';

type Constants = readonly (readonly [name: string, value: Json])[];

const MICROSECONDS = 1_000_000n;
const LARGEST_SUPPLY = 10n ** 15n;
const LARGEST_SATOSHIS = 2n ** 62n - 1n;
/**
 * The smallest transaction limit, block and names that the lineage ever allowed; nothing in this program depends on
 * them.
 */
const SMALLEST = { transactionLimit: 1024, block: 115, accountName: 3 };
const LONGEST_PLAIN_NAME = 16;
const INITIAL_MINERS = 1;

/**
 * The constants of a chain in the lineage's order; a name that begins with `_` is prefixed with the coin's name
 * (rpc_conventions.md#constants-of-the-chain).
 */
export function configuration(parameters: ChainParameters, encoding: EncodingOptions): Constants {
  const constants: Constants = [
    ...identity(parameters, encoding),
    ...supplyAndTime(parameters),
    ...economy(parameters),
    ...symbolsAndFees(parameters),
    ...rounds(parameters),
    ...limits(parameters),
    ...accounts(),
    ...(speaksLineage(encoding) ? [] : ownRules(parameters, encoding)),
  ];
  return constants.map(([name, value]) => [name, typeof value === 'bigint' ? integerToJson(value, encoding) : value]);
}

function identity(parameters: ChainParameters, { keyPrefix }: EncodingOptions): Constants {
  const { genesis } = parameters;
  return [
    ['IS_TEST_NET', false],
    ['_MIN_FEEDS', parameters.minFeeds],
    ['_BLOCKCHAIN_VERSION', versionText(chain.BLOCKCHAIN_VERSION)],
    ['_CHAIN_ID', parameters.chainId],
    ['IS_PRIVATE_NET', parameters.isPrivateNet],
    ['_INIT_PUBLIC_KEY', publicKeyText(genesis.initial_public_key, keyPrefix)],
    ['_INIT_PUBLIC_MINING_KEY', publicKeyText(parameters.initialSigningKey, keyPrefix)],
    ['_MIN_ACCOUNT_CREATION_FEE', parameters.minAccountCreationFee],
    ['_OWNER_AUTH_RECOVERY_PERIOD', microseconds(chain.OWNER_AUTH_RECOVERY_PERIOD_SECONDS)],
    ['_ACCOUNT_RECOVERY_REQUEST_EXPIRATION_PERIOD', microseconds(chain.ACCOUNT_RECOVERY_REQUEST_SECONDS)],
    ['_OWNER_UPDATE_LIMIT', microseconds(chain.OWNER_UPDATE_LIMIT_SECONDS)],
  ];
}

function supplyAndTime(parameters: ChainParameters): Constants {
  const { genesis } = parameters;
  return [
    ['_INIT_SUPPLY', parameters.initialSupply],
    ['_TOTAL_SUPPLY', genesis.total_supply],
    ['_GENESIS_TIME', timeText(genesis.genesis_time)],
    ['_BLOCK_INTERVAL', parameters.blockIntervalSeconds],
    ['_BLOCKS_PER_YEAR', parameters.blocksPerYear],
    ['_BLOCKS_PER_DAY', parameters.blocksPerDay],
    ['_START_MINER_VOTING_BLOCK', parameters.startMinerVotingBlock],
    ['_DECIMALS', DECIMALS],
    ['_SATOSHIS', SATOSHIS],
  ];
}

function economy(parameters: ChainParameters): Constants {
  const { genesis } = parameters;
  return [
    ['_PROMOTION_POOL_PERCENTAGE', genesis.promotion_pool_percentage],
    ['_MINING_POOL_PERCENTAGE', genesis.mining_pool_percentage],
    ['_INTEREST_POOL_PERCENTAGE', genesis.interest_pool_percentage],
    ['_BURN_FEE_PERCENTAGE', genesis.burn_fee_percentage],
    ['_INTEREST_BLOCKS', chain.INTEREST_BLOCKS],
    ['_INTEREST_FEES_TIME', parameters.interestDelayBlocks],
    ['_INTEREST_DELAY', parameters.interestDelayBlocks],
    ['_COINBASE_YEARS', genesis.coinbase_years],
    ['_COINBASE_BLOCKS', parameters.coinbaseBlocks],
    ['_FINAL_WITNESS_REQUIRED_VESTING_BALANCE', genesis.final_witness_req_vesting_balance],
    ['_WITNESS_VESTING_INCREASE_DAYS_HF', genesis.witness_vesting_increase_days],
    ['_INITIAL_WITNESS_REQUIRED_VESTING_BALANCE', genesis.initial_witness_req_vesting_balance],
  ];
}

function symbolsAndFees({ coinSymbol, vestsSymbol, baseFees }: ChainParameters): Constants {
  const fee = (symbol: string): string => assetText({ amount: baseFees.get(symbol) ?? 0n, symbol });
  return [
    ['VESTS_SYMBOL', vestsSymbol],
    ['_SYMBOL', coinSymbol],
    ...fiatSymbols.map((symbol, k) => [`SBD${k + 1}_SYMBOL`, symbol] as const),
    ['BASE_FEE', fee(coinSymbol)],
    ...fiatSymbols.map((symbol, k) => [`BASE_FEE_SBD${k + 1}`, fee(symbol)] as const),
    ['SIZE_COVERED_IN_BASE_FEE', chain.SIZE_COVERED_IN_BASE_FEE],
    ['SIZE_INCREASE_PER_FEE', chain.SIZE_COVERED_IN_BASE_FEE],
  ];
}

function rounds({ genesis, rules, withdrawIntervals, withdrawIntervalSeconds }: ChainParameters): Constants {
  return [
    ['_BLOCKCHAIN_HARDFORK_VERSION', versionText(chain.BLOCKCHAIN_VERSION)],
    ['_INIT_MINER_NAME', chain.INIT_MINER_ACCOUNT],
    ['_NUM_INIT_MINERS', INITIAL_MINERS],
    ['_MAX_WITNESSES', genesis.max_witnesses],
    ['_MAX_VOTED_WITNESSES_HF0', genesis.max_voted_witnesses],
    ['_MAX_RUNNER_WITNESSES_HF0', genesis.max_runner_witnesses],
    ['_HARDFORK_REQUIRED_WITNESSES', genesis.hardfork_req_witnesses],
    ['_MAX_TIME_UNTIL_EXPIRATION', MAX_SECONDS_UNTIL_EXPIRATION],
    ['_MAX_MEMO_SIZE', MAX_MEMO_BYTES],
    ['_MAX_NAME_SEED_SIZE', MAX_NAME_SEED_BYTES],
    ['_MAX_PROXY_RECURSION_DEPTH', chain.MAX_PROXY_RECURSION_DEPTH],
    ['_VESTING_WITHDRAW_INTERVALS', withdrawIntervals],
    ['_VESTING_WITHDRAW_INTERVAL_SECONDS', withdrawIntervalSeconds],
    // The lineage has no such constant, and rounds down.
    ...(rules.instalments_round_up ? [['_VESTING_WITHDRAW_ROUNDS_UP', true] as const] : []),
    ['_MAX_ACCOUNT_WITNESS_VOTES', genesis.max_account_witness_votes],
    ['_100_PERCENT', chain.ONE_HUNDRED_PERCENT],
    ['_1_PERCENT', chain.ONE_HUNDRED_PERCENT / 100n],
  ];
}

function limits(parameters: ChainParameters): Constants {
  const { genesis } = parameters;
  return [
    ['_LIMIT_BANDWIDTH_BLOCKS', genesis.limit_bandwidth_blocks],
    ['_MAX_ALLOWED_BANDWIDTH', genesis.max_allowed_bandwidth],
    ['_MAX_ALLOWED_OPS_COUNT', genesis.max_allowed_ops],
    ['_MIN_ACCOUNT_NAME_LENGTH', SMALLEST.accountName],
    ['_MAX_ACCOUNT_NAME_LENGTH', LONGEST_PLAIN_NAME],
    ['_MAX_PERMLINK_LENGTH', MAX_APPLICATION_NAME_BYTES],
    ['_MAX_WITNESS_URL_LENGTH', MAX_URL_BYTES],
    ['_MAX_SHARE_SUPPLY', LARGEST_SUPPLY],
    ['_MAX_SATOSHIS', LARGEST_SATOSHIS],
    ['_MAX_SIG_CHECK_DEPTH', MAX_SIGNATURE_CHECK_DEPTH],
    ['_MIN_TRANSACTION_SIZE_LIMIT', SMALLEST.transactionLimit],
    ['_MAX_TRANSACTION_SIZE', parameters.maxTransactionBytes],
    ['_MIN_BLOCK_SIZE_LIMIT', parameters.minBlockSizeLimit],
    ['_MAX_BLOCK_SIZE', parameters.maxBlockBytes],
    ['_MIN_BLOCK_SIZE', SMALLEST.block],
    ['_BLOCKS_PER_HOUR', parameters.blocksPerHour],
    ['_FEED_HISTORY_WINDOW', chain.FEED_HISTORY_WINDOW],
    ['_MAX_FEED_AGE_SECONDS', chain.MAX_FEED_AGE_SECONDS],
    ['_MAX_UNDO_HISTORY', 10_000], // the lineage's; blocks are kept as long as they can be undone
    ['_IRREVERSIBLE_THRESHOLD', chain.IRREVERSIBLE_THRESHOLD],
    ['_VIRTUAL_SCHEDULE_LAP_LENGTH', UINT64_MAX.toString()],
    ['_VIRTUAL_SCHEDULE_LAP_LENGTH2', UINT128_MAX.toString()],
  ];
}

function accounts(): Constants {
  return [
    ['_MINER_ACCOUNT', chain.MINERS_ACCOUNT],
    ['_NULL_ACCOUNT', chain.NULL_ACCOUNT],
    ['_TEMP_ACCOUNT', TEMP_ACCOUNT],
    ['_PROXY_TO_SELF_ACCOUNT', ''],
  ];
}

/** Rules of the genesis that the lineage did not have, or did not show. */
function ownRules(parameters: ChainParameters, { keyPrefix }: EncodingOptions): Constants {
  const { genesis, rules, profile, fork, impersonator, confirmationsFromBlock } = parameters;
  return [
    ['_RULES', chooseRuleSet(genesis, profile)],
    ['_MINIMUM_VESTING_SECONDS', rules.minimum_vesting ? genesis.minimum_vesting_seconds : 0],
    ['_DILUTION_PROTECTION_PERCENT', protectionPercent(parameters)],
    ['_CONFIRMATIONS_FROM_BLOCK', confirmationsFromBlock],
    ['_INITIAL_BALANCE', genesis.initial_balace],
    ['_IMPERSONATOR', impersonator === undefined ? '' : publicKeyText(impersonator, keyPrefix)],
    ['_FORK_CHAIN_ID', fork?.chain_id ?? ''],
    ['_FORK_BLOCK_NUMBER', fork?.block_number ?? 0],
  ];
}

function microseconds(seconds: number): bigint {
  return BigInt(seconds) * MICROSECONDS;
}
