import { Refusal } from '../base/refusal.ts';
import type { Codec, ValueOf } from '../codec/codec.ts';
import { vector, withDefault } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { misfit } from '../codec/misfit.ts';
import { bool, i64, text, u32, u64 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { accountName } from '../values/account_name.ts';
import { assetSymbol } from '../values/asset.ts';
import { digest } from '../values/hash.ts';
import { INT64_MAX } from '../values/limits.ts';
import type { Profile } from '../values/profile.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import { time } from '../values/time.ts';

const initialAccount = struct({ name: accountName, key: publicKey, balance: i64 });

const emptyOrDigest: Codec<string> = {
  ...digest,
  fromJson: (json, notation) => (json === '' ? digest.initial(notation) : digest.fromJson(json, notation)),
};

const number = (value: number): Codec<number> => withDefault(u32, value);
const amount = (value: bigint): Codec<bigint> => withDefault(i64, value);

/** The members that the original packs, in its order (wire.md 13.1); `initial_balace` is spelt as it always was. */
const packedMembers = {
  initial_public_key: publicKey,
  initial_balace: amount(350_000_000_000_000n),
  total_supply: amount(500_000_000_000_000n),
  max_witnesses: number(51),
  hardfork_req_witnesses: number(31),
  max_voted_witnesses: number(47),
  max_runner_witnesses: number(4),
  max_account_witness_votes: number(60),
  initial_witness_req_vesting_balance: withDefault(u64, 250_000_000_000n),
  final_witness_req_vesting_balance: withDefault(u64, 300_000_000_000n),
  witness_vesting_increase_days: number(159),
  block_interval: number(3),
  max_transaction_size: number(8192),
  max_block_size: number(2048),
  promotion_pool_percentage: number(1000),
  mining_pool_percentage: number(2500),
  interest_pool_percentage: number(6500),
  burn_fee_percentage: number(1000),
  coinbase_years: number(25),
  min_acc_creation_fee: number(50_000),
  base_fee: number(10_000),
  base_fee_usd: number(10_000),
  base_fee_eur: number(8000),
  base_fee_chf: number(10_000),
  base_fee_cny: number(64_000),
  base_fee_gbp: number(7500),
  limit_bandwidth_blocks: number(51),
  max_allowed_bandwidth: number(51_000),
  max_allowed_ops: number(102),
  initial_chain_id: emptyOrDigest,
  genesis_time: withDefault(time, 1_531_512_800),
  is_private_net: bool,
  initial_accounts: vector(initialAccount),
  symbol: assetSymbol,
} as const;

/** Genesis as the original packs it: the chain id of a private net that is started by keys is the sha256 of these bytes. */
export const packedGenesis = struct(packedMembers);

/** All members of a genesis file; the last ones are Pharos's own. */
export const genesisFile = struct({
  ...packedMembers,
  /** `interface` or `lineage`; the profile's when left out. */
  rules: text,
  minimum_vesting_seconds: number(31_536_000),
  vesting_withdraw_intervals: number(27),
  vesting_withdraw_interval_seconds: number(86_400),
  /** Who signs the blocks of the first witness; the profile's key when left out. */
  initial_signing_key: publicKey,
});

export type Genesis = ValueOf<typeof genesisFile>;

/** Reads the JSON of a genesis file. Refuses what no chain could run with, and names the member. */
export function readGenesis(json: Json, profile: Profile): Genesis {
  const dialect = profile.rules === 'lineage' ? 'legacy' : 'default';
  const genesis = genesisFile.fromJson(json, { ...profile, dialect, operationForm: 'pair' });
  if (genesis.symbol !== profile.coinSymbol) misfit(`symbol ${profile.coinSymbol}, the profile's own`, genesis.symbol);
  if (!['', 'interface', 'lineage'].includes(genesis.rules)) misfit('rules "interface" or "lineage"', genesis.rules);
  requireSound(genesis);
  const initial_public_key = genesis.initial_public_key === NULL_KEY ? profile.initialSigningKey : genesis.initial_public_key;
  return { ...genesis, initial_public_key };
}

const SECONDS_PER_HOUR = 3600;
// An account that holds everything earns interest on 2400 times that, which must fit 63 bits.
const LARGEST_SUPPLY = INT64_MAX / 2400n;
const MAX_WITNESSES = 255; // the schedule counts them in one byte

function requireSound(genesis: Genesis): void {
  requireRange('block_interval', genesis.block_interval, 1, SECONDS_PER_HOUR);
  requireRange('max_witnesses', genesis.max_witnesses, 1, MAX_WITNESSES);
  requireRange('max_voted_witnesses', genesis.max_voted_witnesses, 0, genesis.max_witnesses);
  requireRange('coinbase_years', genesis.coinbase_years, 1, 1000);
  requireRange('vesting_withdraw_intervals', genesis.vesting_withdraw_intervals, 1, 100_000);
  requireRange('vesting_withdraw_interval_seconds', genesis.vesting_withdraw_interval_seconds, 1, 0xffff_ffff);
  requireRange('max_transaction_size', genesis.max_transaction_size, 1024, 1024 * 1024);
  for (const member of [
    'promotion_pool_percentage',
    'mining_pool_percentage',
    'interest_pool_percentage',
    'burn_fee_percentage',
  ] as const) {
    requireRange(member, genesis[member], 0, 10_000);
  }
  const names = genesis.initial_accounts.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new Refusal('bad_genesis', 'initial_accounts: a name stands twice');
  if (genesis.total_supply < 0n || genesis.total_supply > LARGEST_SUPPLY) {
    throw new Refusal('bad_genesis', `total_supply: 0 to ${LARGEST_SUPPLY} expected, got ${genesis.total_supply}`);
  }
  if (genesis.initial_balace < 0n) throw new Refusal('bad_genesis', 'initial_balace is negative');
  const negative = genesis.initial_accounts.find(({ balance }) => balance < 0n);
  if (negative !== undefined) throw new Refusal('bad_genesis', `initial_accounts: ${negative.name} has a negative balance`);
  const balances = genesis.initial_accounts.reduce((sum, { balance }) => sum + balance, genesis.initial_balace);
  if (balances < 0n || balances > genesis.total_supply)
    throw new Refusal('bad_genesis', `initial balances sum to ${balances}, more than total_supply ${genesis.total_supply}`);
}

function requireRange(member: string, value: number, lowest: number, highest: number): void {
  if (value < lowest || value > highest) throw new Refusal('bad_genesis', `${member}: ${lowest} to ${highest} expected, got ${value}`);
}
