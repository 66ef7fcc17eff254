import { parsePublicKey } from '../../src/values/public_key.ts';
import { require } from './refusal.ts';
import { ruleSets, type Rules } from './rules.ts';
import { INT64_MAX, NULL_KEY, type COIN, type Fiat } from './values.ts';

/** The members of a genesis file, as JSON says them. */
export type Genesis = Readonly<Record<string, unknown>>;

/** Constants that the genesis decides once and for all (chain_rules.md#constants, chain_rules.md#genesis). */
export interface Parameters {
  readonly rules: Rules;
  readonly isPrivate: boolean;
  readonly genesisTime: number;
  readonly initialKey: string;
  readonly signingKey: string;
  readonly initminerBalance: bigint;
  readonly initialAccounts: readonly { readonly name: string; readonly key: string; readonly balance: bigint }[];
  readonly interval: number;
  readonly blocksPerYear: number;
  readonly blocksPerDay: number;
  readonly blocksPerHour: number;
  readonly coinbaseBlocks: bigint;
  readonly totalSupply: bigint;
  readonly promotionPercentage: bigint;
  readonly miningPercentage: bigint;
  readonly interestPercentage: bigint;
  readonly burnPercentage: bigint;
  readonly maxWitnesses: number;
  readonly maxVotedWitnesses: number;
  readonly maxRunnerWitnesses: number;
  readonly hardforkRequiredWitnesses: number;
  readonly maxWitnessVotes: number;
  readonly initialRequiredVesting: bigint;
  readonly finalRequiredVesting: bigint;
  readonly vestingIncreaseDays: number;
  readonly minimumCreationFee: bigint;
  readonly baseFees: Readonly<Record<Fiat | typeof COIN, bigint>>;
  readonly bandwidthBlocks: number;
  readonly maxBandwidth: number;
  readonly maxFreeOperations: number;
  readonly maxTransactionSize: number;
  readonly minBlockSizeLimit: number;
  readonly maxBlockSize: number;
  readonly minimumVestingSeconds: number;
  readonly withdrawIntervals: bigint;
  readonly withdrawIntervalSeconds: number;
  readonly protectionPercent: bigint;
  readonly confirmationsFromBlock: number;
}

/** Returns the number of blocks in this many seconds; no chain runs with an interval of 0. */
const per = (seconds: number, interval: number): number => (interval === 0 ? 0 : Math.floor(seconds / interval));

const SECONDS_PER_YEAR = 365 * 24 * 3600;
const COMPILED_INITIAL_SUPPLY = 350_000_000_000_000n;

/** Reads members, with the default where one is missing. */
class Reader {
  readonly #genesis: Genesis;
  readonly keyPrefix: string;

  constructor(genesis: Genesis, keyPrefix: string) {
    this.#genesis = genesis;
    this.keyPrefix = keyPrefix;
  }

  integer(member: string, otherwise: bigint | number): bigint {
    const value = this.#genesis[member] ?? otherwise;
    return typeof value === 'bigint' ? value : BigInt(String(value));
  }

  number(member: string, otherwise: number): number {
    return Number(this.integer(member, otherwise));
  }

  text(member: string, otherwise: string): string {
    return String(this.#genesis[member] ?? otherwise);
  }

  key(text: string): string {
    return text === '' ? NULL_KEY : (parsePublicKey(text, this.keyPrefix) ?? NULL_KEY);
  }

  accounts(): Parameters['initialAccounts'] {
    const list = this.#genesis['initial_accounts'] ?? [];
    if (!Array.isArray(list)) return [];
    return list.map(({ name, key, balance }) => ({
      name: String(name),
      key: this.key(String(key)),
      balance: BigInt(balance),
    }));
  }
}

/** `otherRules` are rules that don't hold as the rule set says: to see what a rule is good for. */
export function readGenesis(genesis: Genesis, keyPrefix: string, otherRules: Partial<Rules> = {}): Parameters {
  const read = new Reader(genesis, keyPrefix);
  const rules = { ...ruleSets[genesis['rules'] === 'lineage' ? 'lineage' : 'interface'], ...otherRules };
  const interval = read.number('block_interval', 3);
  const blocksPerYear = per(SECONDS_PER_YEAR, interval);
  const maxTransactionSize = read.number('max_transaction_size', 8192);
  const blocksPerDay = per(86_400, interval);
  return {
    rules,
    isPrivate: genesis['is_private_net'] === true,
    genesisTime: Date.parse(`${read.text('genesis_time', '')}Z`) / 1000,
    initialKey: read.key(read.text('initial_public_key', '')),
    signingKey: read.key(read.text('initial_signing_key', '')),
    initminerBalance: read.integer('initial_balace', 0),
    initialAccounts: read.accounts(),
    interval,
    blocksPerYear,
    blocksPerDay,
    blocksPerHour: per(3600, interval),
    coinbaseBlocks: BigInt(blocksPerYear) * read.integer('coinbase_years', 25),
    totalSupply: read.integer('total_supply', 500_000_000_000_000n),
    promotionPercentage: read.integer('promotion_pool_percentage', 1000),
    miningPercentage: read.integer('mining_pool_percentage', 2500),
    interestPercentage: read.integer('interest_pool_percentage', 6500),
    burnPercentage: read.integer('burn_fee_percentage', 1000),
    ...witnessParameters(read),
    minimumCreationFee: read.integer('min_acc_creation_fee', 50_000),
    baseFees: {
      COIN: read.integer('base_fee', 10_000),
      USD: read.integer('base_fee_usd', 10_000),
      EUR: read.integer('base_fee_eur', 8000),
      CHF: read.integer('base_fee_chf', 10_000),
      CNY: read.integer('base_fee_cny', 64_000),
      GBP: read.integer('base_fee_gbp', 7500),
    },
    bandwidthBlocks: read.number('limit_bandwidth_blocks', 51),
    maxBandwidth: read.number('max_allowed_bandwidth', 51_000),
    maxFreeOperations: read.number('max_allowed_ops', 102),
    maxTransactionSize,
    minBlockSizeLimit: 16 * maxTransactionSize,
    // The members that hold it have 32 bits.
    maxBlockSize: Math.min(maxTransactionSize * interval * read.number('max_block_size', 2048), 0xffff_ffff),
    minimumVestingSeconds:
      rules.minimumVestingSeconds === 0 ? 0 : read.number('minimum_vesting_seconds', rules.minimumVestingSeconds),
    withdrawIntervals: rules.genesisSaysInstalments ? read.integer('vesting_withdraw_intervals', 27) : 27n,
    withdrawIntervalSeconds: rules.genesisSaysInstalments
      ? read.number('vesting_withdraw_interval_seconds', 86_400)
      : 86_400,
    protectionPercent:
      rules.dilutionProtectionPercent === 0
        ? 0n
        : read.integer('dilution_protection_percent', rules.dilutionProtectionPercent),
    confirmationsFromBlock:
      rules.confirmationsFromBlock === undefined
        ? 7 * blocksPerDay
        : read.number('confirmations_from_block', rules.confirmationsFromBlock),
  };
}

function witnessParameters(
  read: Reader,
): Pick<
  Parameters,
  | 'maxWitnesses'
  | 'maxVotedWitnesses'
  | 'maxRunnerWitnesses'
  | 'hardforkRequiredWitnesses'
  | 'maxWitnessVotes'
  | 'initialRequiredVesting'
  | 'finalRequiredVesting'
  | 'vestingIncreaseDays'
> {
  return {
    maxWitnesses: read.number('max_witnesses', 51),
    maxVotedWitnesses: read.number('max_voted_witnesses', 47),
    maxRunnerWitnesses: read.number('max_runner_witnesses', 4),
    hardforkRequiredWitnesses: read.number('hardfork_req_witnesses', 31),
    maxWitnessVotes: read.number('max_account_witness_votes', 60),
    initialRequiredVesting: read.integer('initial_witness_req_vesting_balance', 250_000_000_000),
    finalRequiredVesting: read.integer('final_witness_req_vesting_balance', 300_000_000_000),
    vestingIncreaseDays: read.number('witness_vesting_increase_days', 159),
  };
}

export const sumOfBalances = ({ initminerBalance, initialAccounts }: Parameters): bigint =>
  initialAccounts.reduce((sum, { balance }) => sum + balance, initminerBalance);

/** Returns the supply on which the interest per period is computed (10.4). */
export const interestSupply = (parameters: Parameters): bigint =>
  parameters.totalSupply -
  (parameters.rules.initialSupplyIsTheGenesis ? sumOfBalances(parameters) : COMPILED_INITIAL_SUPPLY);

/** An odd genesis is refused ("Rules that came out of attacks"). */
export function checkGenesis(parameters: Parameters): void {
  const { rules, interval, blocksPerYear, coinbaseBlocks, totalSupply, protectionPercent } = parameters;
  if (!rules.oddGenesisIsRefused) return;
  require(interval >= 1 && interval <= 86_400, 'block interval outside 1 … 86400 s');
  require(coinbaseBlocks >= BigInt(blocksPerYear), 'coinbase years below 1');
  const { promotionPercentage, miningPercentage, interestPercentage } = parameters;
  require(promotionPercentage + miningPercentage + interestPercentage ===
    10_000n, 'percentages that do not sum to 10000');
  require(protectionPercent >= 0n && protectionPercent <= 90n, 'dilution protection outside 0 … 90');
  const initial = sumOfBalances(parameters);
  require(initial <= totalSupply, 'balances above total supply');
  const coinbase = totalSupply - initial;
  const interestPool = (coinbase * interestPercentage) / 10_000n;
  const counted = protectionPercent === 0n ? 0n : coinbase - interestPool;
  require(totalSupply + 9n * counted <= INT64_MAX / 2400n, 'total supply too large');
}
