import { optional, vector, withDefault } from '../codec/collections.ts';
import type { Codec } from '../codec/codec.ts';
import { bool, i64, text, u32, u64 } from '../codec/primitives.ts';
import { struct, type AnyCodec } from '../codec/struct.ts';
import { accountName } from '../values/account_name.ts';
import { assetSymbol } from '../values/asset.ts';
import { digest, hash160 } from '../values/hash.ts';
import { LARGEST_TRANSACTION_BYTES, MAX_ACCOUNT_VOTES } from '../values/limits.ts';
import { publicKey } from '../values/public_key.ts';
import { time } from '../values/time.ts';

/** The subject under which a member is explained; `tests` are for chains without value. */
export type GenesisPart =
  | 'chain'
  | 'accounts'
  | 'coins'
  | 'witnesses'
  | 'finality'
  | 'blocks'
  | 'fees'
  | 'vesting'
  | 'tests';

/**
 * The unit in which people read and write a value: `coins` and `vests` are millionths in the file, `percent` hundredths
 * of one.
 */
export type GenesisUnit = 'count' | 'coins' | 'vests' | 'percent' | 'seconds' | 'bytes' | 'time' | 'flag' | 'text';

/** A member of a genesis file: its type with its default, what it rules, and where it lies among the others. */
export interface GenesisMember<C extends AnyCodec = AnyCodec> {
  readonly codec: C;
  readonly part: GenesisPart;
  readonly unit: GenesisUnit;
  /** One line, a sentence or two. */
  readonly doc: string;
  /** The lowest and the highest value, where its type allows others. */
  readonly range?: readonly [lowest: number, highest: number];
  /** The meaning of a file without the member, where its type has no default. */
  readonly unsaid?: boolean;
}

const UINT32_MAX = 0xffff_ffff;
const SECONDS_PER_DAY = 86_400;
const WHOLE = 10_000; // hundredths of a percent
const MAX_WITNESSES = 255; // the schedule counts them in one byte
const MAX_PROTECTION_PERCENT = 90; // beyond this, each counted coin could owe more than nine others

const initialAccount = struct({ name: accountName, key: publicKey, balance: i64 });

const emptyOrDigest: Codec<string> = {
  ...digest,
  fromJson: (json, encoding) => (json === '' ? digest.initial(encoding) : digest.fromJson(json, encoding)),
};

/** A state of another chain. */
export const forkPoint = struct({
  chain_id: digest,
  block_number: u32,
  block_id: hash160,
  state_hash: digest,
});

const plannedHardfork = struct({ name: text, block: u32 });

const number = (value: number): Codec<number> => withDefault(u32, value);
const amount = (value: bigint): Codec<bigint> => withDefault(i64, value);

/**
 * The members that the lineage packs, in its order (wire_format.md#genesis-and-chain-id); `initial_balace` keeps its
 * original spelling.
 */
export const packedMembers = {
  initial_public_key: {
    codec: publicKey,
    part: 'accounts',
    unit: 'text',
    doc: 'Public key of initminer, the account of the first witness. It can recover and reset the accounts of the genesis.',
  },
  initial_balace: {
    codec: amount(350_000_000_000_000n),
    part: 'accounts',
    unit: 'coins',
    doc: 'Balance of initminer. The spelling is that of the lineage.',
  },
  total_supply: {
    codec: amount(500_000_000_000_000n),
    part: 'coins',
    unit: 'coins',
    doc: 'Supply: the coins of all accounts at the beginning, and those that are paid out later. Dilution protection may issue more.',
  },
  max_witnesses: {
    codec: number(51),
    part: 'witnesses',
    unit: 'count',
    range: [1, MAX_WITNESSES],
    doc: 'Places of a round: the most witnesses that make blocks in turn. No chain changes it later.',
  },
  hardfork_req_witnesses: {
    codec: number(31),
    part: 'witnesses',
    unit: 'count',
    doc: 'Witnesses of a round that must vote for a hardfork before it becomes active: at least the finality quorum.',
  },
  max_voted_witnesses: {
    codec: number(47),
    part: 'witnesses',
    unit: 'count',
    doc: 'Places of a round that go to the witnesses with the most votes. The others share the remaining places in turn.',
  },
  max_runner_witnesses: {
    codec: number(4),
    part: 'witnesses',
    unit: 'count',
    doc: 'The remaining places, as methods show them: max_witnesses less max_voted_witnesses.',
  },
  max_account_witness_votes: {
    codec: number(60),
    part: 'witnesses',
    unit: 'count',
    range: [0, MAX_ACCOUNT_VOTES],
    doc: 'Witnesses that an account may vote for.',
  },
  initial_witness_req_vesting_balance: {
    codec: withDefault(u64, 250_000_000_000n),
    part: 'witnesses',
    unit: 'vests',
    doc: 'Vesting shares that an account needs to become a witness, at the beginning.',
  },
  final_witness_req_vesting_balance: {
    codec: withDefault(u64, 300_000_000_000n),
    part: 'witnesses',
    unit: 'vests',
    doc: 'The same from the day witness_vesting_increase_days on.',
  },
  witness_vesting_increase_days: {
    codec: number(159),
    part: 'witnesses',
    unit: 'count',
    doc: 'Days of blocks until a new witness needs final_witness_req_vesting_balance.',
  },
  block_interval: {
    codec: number(3),
    part: 'blocks',
    unit: 'seconds',
    range: [1, SECONDS_PER_DAY],
    doc: 'Time from one slot to the next.',
  },
  max_transaction_size: {
    codec: number(8192),
    part: 'blocks',
    unit: 'bytes',
    range: [1024, LARGEST_TRANSACTION_BYTES],
    doc: 'Largest transaction.',
  },
  max_block_size: {
    codec: number(2048),
    part: 'blocks',
    unit: 'count',
    range: [1, UINT32_MAX],
    doc: 'Block size: a block has at most max_block_size × max_transaction_size × block_interval bytes; witnesses vote for less.',
  },
  promotion_pool_percentage: {
    codec: number(1000),
    part: 'coins',
    unit: 'percent',
    range: [0, WHOLE],
    doc: 'Share of the coins to come that the promotion pool gives away.',
  },
  mining_pool_percentage: {
    codec: number(2500),
    part: 'coins',
    unit: 'percent',
    range: [0, WHOLE],
    doc: 'Reward: share of the coins to come that witnesses get for their blocks.',
  },
  interest_pool_percentage: {
    codec: number(6500),
    part: 'coins',
    unit: 'percent',
    range: [0, WHOLE],
    doc: 'Share of the coins to come that accounts get as interest.',
  },
  burn_fee_percentage: {
    codec: number(1000),
    part: 'fees',
    unit: 'percent',
    range: [0, WHOLE],
    doc: 'Share of each fee that is burned.',
  },
  coinbase_years: {
    codec: number(25),
    part: 'coins',
    unit: 'count',
    range: [1, 1000],
    doc: 'Years of blocks over which the coins to come are paid out.',
  },
  min_acc_creation_fee: {
    codec: number(50_000),
    part: 'fees',
    unit: 'coins',
    doc: 'Lowest fee for creating an account; witnesses vote for more.',
  },
  base_fee: {
    codec: number(10_000),
    part: 'fees',
    unit: 'coins',
    doc: 'Fee of most operations of up to 4096 bytes.',
  },
  base_fee_usd: { codec: number(10_000), part: 'fees', unit: 'coins', doc: 'The same, offered in USD.' },
  base_fee_eur: { codec: number(8000), part: 'fees', unit: 'coins', doc: 'The same, offered in EUR.' },
  base_fee_chf: { codec: number(10_000), part: 'fees', unit: 'coins', doc: 'The same, offered in CHF.' },
  base_fee_cny: { codec: number(64_000), part: 'fees', unit: 'coins', doc: 'The same, offered in CNY.' },
  base_fee_gbp: { codec: number(7500), part: 'fees', unit: 'coins', doc: 'The same, offered in GBP.' },
  limit_bandwidth_blocks: {
    codec: number(51),
    part: 'fees',
    unit: 'count',
    doc: 'Blocks over which the operations of an account without a fee are counted.',
  },
  max_allowed_bandwidth: {
    codec: number(51_000),
    part: 'fees',
    unit: 'bytes',
    doc: 'Bytes of operations without a fee that an account has in that time.',
  },
  max_allowed_ops: {
    codec: number(102),
    part: 'fees',
    unit: 'count',
    doc: 'Operations without a fee that an account has in that time.',
  },
  initial_chain_id: {
    codec: emptyOrDigest,
    part: 'tests',
    unit: 'text',
    doc: 'Only the lineage’s packed form has it; nothing depends on it.',
  },
  genesis_time: {
    codec: withDefault(time, 1_531_512_800),
    part: 'chain',
    unit: 'time',
    doc: 'When slots begin, in UTC. Slots before the first block count as missed.',
  },
  is_private_net: {
    codec: bool,
    part: 'chain',
    unit: 'flag',
    doc: 'A net without coins: no operation moves coins or votes, fees are 0, and initminer appoints witnesses.',
  },
  initial_accounts: {
    codec: vector(initialAccount),
    part: 'accounts',
    unit: 'text',
    doc: 'Accounts that exist from the beginning, each with a key and a balance in millionths. The null key makes initminer the owner.',
  },
  symbol: {
    codec: assetSymbol,
    part: 'chain',
    unit: 'text',
    doc: 'Symbol of the coin: that of the profile.',
  },
} as const satisfies Readonly<Record<string, GenesisMember>>;

/** The members that only Pharos has. */
const ownMembers = {
  name: {
    codec: text,
    part: 'chain',
    unit: 'text',
    doc: 'The name of the chain, for people. Two chains with the same rules differ by it.',
  },
  rules: {
    codec: text,
    part: 'chain',
    unit: 'text',
    doc: 'Rule set: interface or lineage; that of the profile by default.',
  },
  minimum_vesting_seconds: {
    codec: number(31_536_000),
    part: 'vesting',
    unit: 'seconds',
    doc: 'Vesting lock: how long what was vested can’t be withdrawn.',
  },
  vesting_withdraw_intervals: {
    codec: number(27),
    part: 'vesting',
    unit: 'count',
    range: [1, 100_000],
    doc: 'Withdrawal: instalments in which vesting shares become coins again.',
  },
  vesting_withdraw_interval_seconds: {
    codec: number(SECONDS_PER_DAY),
    part: 'vesting',
    unit: 'seconds',
    range: [1, UINT32_MAX],
    doc: 'Time from one instalment to the next.',
  },
  dilution_protection_percent: {
    codec: number(90),
    part: 'vesting',
    unit: 'count',
    range: [0, MAX_PROTECTION_PERCENT],
    doc: 'Vesting shares are protected against dilution until this percentage of the coin is vesting; 0 for no protection.',
  },
  confirmations_from_block: {
    codec: number(1),
    part: 'finality',
    unit: 'count',
    doc: 'Irreversibility without votes: from this block on by three quarters of a round that built on a block; before, a round behind the head.',
  },
  initial_signing_key: {
    codec: publicKey,
    part: 'witnesses',
    unit: 'text',
    doc: 'Public key that signs the blocks of initminer, the only witness at first; that of the profile by default.',
  },
  impersonator: {
    codec: publicKey,
    part: 'tests',
    unit: 'text',
    doc: 'The signature of this key satisfies every authority of the chain; nobody’s by default.',
  },
  fork: {
    codec: forkPoint,
    part: 'tests',
    unit: 'text',
    doc: 'The chain begins with the state that another chain had behind this block, and all witnesses sign with initial_signing_key.',
  },
  hardfork_blocks: {
    codec: vector(plannedHardfork),
    part: 'tests',
    unit: 'text',
    doc: 'Hardforks that the chain applies with these blocks, without votes: [{"name": "bandwidth", "block": 100}]. All others follow time and votes.',
  },
  finality: {
    codec: optional(bool),
    part: 'finality',
    unit: 'flag',
    unsaid: true,
    doc: 'Irreversibility: whether votes of more than two thirds of a round make blocks final. Never under the rule set lineage.',
  },
} as const satisfies Readonly<Record<string, GenesisMember>>;

/** Every member of a genesis file, in its order: the parser, `pharos genesis` and the docs read it here. */
export const genesisMembers = { ...packedMembers, ...ownMembers };

export type GenesisMemberName = keyof typeof genesisMembers;

/** The members by name, for who walks through all of them. */
export const genesisMemberList: readonly (readonly [name: GenesisMemberName, member: GenesisMember])[] =
  listed(genesisMembers);

function listed<T extends Readonly<Record<string, GenesisMember>>>(
  members: T,
): readonly (readonly [name: keyof T, member: GenesisMember])[];
function listed(members: Readonly<Record<string, GenesisMember>>): readonly (readonly [string, GenesisMember])[] {
  return Object.entries(members);
}

type CodecsOf<T extends Readonly<Record<string, GenesisMember>>> = { readonly [K in keyof T]: T[K]['codec'] };

/** The types of members, for a struct. */
export function memberCodecs<T extends Readonly<Record<string, GenesisMember>>>(members: T): CodecsOf<T>;
export function memberCodecs(members: Readonly<Record<string, GenesisMember>>): Readonly<Record<string, AnyCodec>> {
  return Object.fromEntries(Object.entries(members).map(([name, { codec }]) => [name, codec]));
}
