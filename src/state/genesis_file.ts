import type { Codec, ValueOf } from '../codec/codec.ts';
import { vector, withDefault } from '../codec/collections.ts';
import { bool, i64, text, u32, u64 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { accountName } from '../values/account_name.ts';
import { assetSymbol } from '../values/asset.ts';
import { digest, hash160 } from '../values/hash.ts';
import { publicKey } from '../values/public_key.ts';
import { time } from '../values/time.ts';

const initialAccount = struct({ name: accountName, key: publicKey, balance: i64 });

const emptyOrDigest: Codec<string> = {
  ...digest,
  fromJson: (json, notation) => (json === '' ? digest.initial(notation) : digest.fromJson(json, notation)),
};

/** A state of another chain. */
const forkPoint = struct({
  chain_id: digest,
  block_number: u32,
  block_id: hash160,
  state_hash: digest,
});

const number = (value: number): Codec<number> => withDefault(u32, value);
const amount = (value: bigint): Codec<bigint> => withDefault(i64, value);

/** The members that the lineage packs, in its order (wire.md 13.1); `initial_balace` keeps its original spelling. */
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

/** Genesis as packed by the lineage: the chain id of a private net that is started by keys is the sha256 of these bytes. */
export const packedGenesis = struct(packedMembers);

/** All members of a genesis file; the last ones are specific to Pharos. */
export const genesisFile = struct({
  ...packedMembers,
  /** `interface` or `lineage`; the profile's by default. */
  rules: text,
  minimum_vesting_seconds: number(31_536_000),
  vesting_withdraw_intervals: number(27),
  vesting_withdraw_interval_seconds: number(86_400),
  /** Vesting shares are protected against dilution until this percentage of the coin is vesting; 0 disables the protection. */
  dilution_protection_percent: number(90),
  /** From this block on, the last irreversible block depends on what witnesses have built on; before, it is one round behind the head. */
  confirmations_from_block: number(1),
  /** The key that signs the blocks of the first witness; the profile's by default. */
  initial_signing_key: publicKey,
  /** For tests: the signature of this key satisfies every authority of the chain. The null key, nobody's, unless said. */
  impersonator: publicKey,
  /**
   * For tests: the chain begins with the state that another one had behind that block, and each of its witnesses signs with
   * `initial_signing_key`. Unless said, it begins with what stands here.
   */
  fork: forkPoint,
});

export type Genesis = ValueOf<typeof genesisFile>;
export type ForkPoint = ValueOf<typeof forkPoint>;

/** Where a chain parted from another one; undefined for one that begins with its genesis. */
export function forkPointOf({ fork }: Pick<Genesis, 'fork'>): ForkPoint | undefined {
  return /^0+$/.test(fork.chain_id) ? undefined : fork;
}
