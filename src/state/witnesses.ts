import { refusals } from '../base/refusal.ts';
import { sortedUnique } from '../codec/collections.ts';
import type { AccountName } from '../values/account_name.ts';
import { compareSymbols, type Asset, type AssetSymbol } from '../values/asset.ts';
import { UINT128_MAX } from '../values/limits.ts';
import { invertPrice, type Price } from '../values/price.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { INITIAL_HARDFORK_TIME_VOTE, type ChainParameters } from './parameters.ts';
import { scheduledBy, witnesses, type Witness } from './tables/witness.ts';
import { witnessSchedule } from './tables/witness_schedule.ts';

const refuse = refusals({
  last_producer:
    '{witness} is the only witness of the running round that can produce a block; it can stop when there is another one',
});

/** The refusals of `requireOtherProducer`. */
export const lastProducerRefusals = refuse.texts;

/** Refuses to remove a witness of the current round if no other one in it can sign: the chain would halt for ever. */
export function requireOtherProducer({ rows, parameters }: ChainState, owner: AccountName): void {
  if (!parameters.rules.round_keeps_a_producer) return;
  const round = rows.only(witnessSchedule).current_shuffled_witnesses;
  if (!round.includes(owner)) return;
  const canSign = (name: AccountName): boolean => (rows.get(witnesses, name)?.signing_key ?? NULL_KEY) !== NULL_KEY;
  if (!round.some((name) => name !== owner && canSign(name))) refuse.last_producer({ witness: owner });
}

/** The common members of witness_update and admin_witness_update. */
export interface WitnessUpdate {
  readonly url: string;
  readonly block_signing_key: PublicKey;
  readonly props: { readonly account_creation_fee: Asset; readonly maximum_block_size: number };
}

/** The witness with the update applied. */
export function withUpdate(witness: Witness, { url, block_signing_key, props }: WitnessUpdate): Witness {
  const { account_creation_fee, maximum_block_size } = props;
  const stopped = witness.stopped || block_signing_key === NULL_KEY;
  return { ...witness, url, signing_key: block_signing_key, account_creation_fee, maximum_block_size, stopped };
}

/** Adds a witness without votes. Its first update does not count as stopping, even with a null key. */
export function addWitness(
  state: ChainState,
  owner: AccountName,
  { url, block_signing_key, props }: WitnessUpdate,
  created: Seconds,
): void {
  state.rows.put(witnesses, {
    id: state.rows.nextId(witnesses),
    owner,
    created,
    url,
    votes: 0n,
    schedule: scheduledBy.nothing,
    virtual_last_update: 0n,
    virtual_position: 0n,
    virtual_scheduled_time: UINT128_MAX,
    total_missed: 0,
    last_aslot: 0n,
    last_confirmed_block_num: 0n,
    signing_key: block_signing_key,
    account_creation_fee: props.account_creation_fee,
    maximum_block_size: props.maximum_block_size,
    submitted_exchange_rates: [],
    stopped: false,
    running_version: 0,
    hardfork_version_vote: 0,
    hardfork_time_vote: INITIAL_HARDFORK_TIME_VOTE,
  });
}

/** The witness with a price published at `seen`; stored with the coin as base, whichever way round it was given. */
export function withRate(
  { coinSymbol }: ChainParameters,
  witness: Witness,
  symbol: AssetSymbol,
  price: Price,
  seen: Seconds,
): Witness {
  const rate = price.base.symbol === coinSymbol ? price : invertPrice(price);
  const entry = [symbol, { rate, last_change: seen }] as const;
  const submitted_exchange_rates = sortedUnique([entry, ...witness.submitted_exchange_rates], ([a], [b]) =>
    compareSymbols(a, b),
  );
  return { ...witness, submitted_exchange_rates };
}

/** Replaces the witness's prices of these symbols. */
export function withRates(
  state: ChainState,
  witness: Witness,
  feeds: readonly (readonly [AssetSymbol, Price])[],
): Witness {
  const now = headProperties(state).time;
  return feeds.reduce((updated, [symbol, price]) => withRate(state.parameters, updated, symbol, price, now), witness);
}
