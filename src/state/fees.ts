import { refusals } from '../base/refusal.ts';
import { replacing } from '../codec/struct.ts';
import { shownAsset, type Asset, type AssetSymbol } from '../values/asset.ts';
import type { AccountName } from '../values/account_name.ts';
import { convert, isNullPrice } from '../values/price.ts';
import type { RowReader } from '../storage/rows.ts';
import { adjustBalance } from './balance.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import {
  coins,
  ONE_HUNDRED_PERCENT,
  shownCoins,
  SIZE_COVERED_IN_BASE_FEE,
  type ChainParameters,
} from './parameters.ts';
import { accounts } from './tables/account.ts';
import { accountFeeSponsors } from './tables/account_fee_sponsor.ts';
import { dynamicGlobalProperties, globalPropertiesRow } from './tables/dynamic_global_property.ts';
import { economicModel, economicModelRow, type EconomicModel } from './tables/economic_model.ts';
import { feedHistories } from './tables/feed_history.ts';
import { witnessSchedule } from './tables/witness_schedule.ts';

/** The price of an operation: nothing, the base fee, base fees by payload size, or the charge of its own evaluator. */
export type FeeRule = 'free' | 'base' | 'own' | { readonly payloadBytes: number };

const refuse = refusals({
  fee_symbol: {
    text: 'a fee cannot be paid in {symbol}; offer one in {known}',
    lineage: 'fee cannot be paid in with symbol {symbol}',
  },
  fee_too_small: 'fee of at least {required} expected, got {offered}',
  fee_above_required:
    'a fee of {offered} is above the {required} that the operation costs, and {payer}, who would pay it, has not signed; offer {required}',
  symbol_history_not_found: {
    text: 'nobody has published a price of {symbol} yet; pay in {coin}',
    lineage: 'Symbol history not found',
  },
  no_price: 'the witnesses have not agreed on a price of {symbol} yet; pay in {coin}',
  fee_negative: 'the fee is {fee}, which is negative; offer {required}',
  fee_not_covered: '{payer} has {balance}, less than the fee of {fee}',
});

const { fee_symbol, fee_too_small, fee_above_required, fee_negative } = refuse.texts;
/** Refusals of an offered fee that no balance of its payer would change. */
export const offeredFeeRefusals = { fee_symbol, fee_too_small, fee_above_required, fee_negative };

/**
 * The minimum fee in the offered symbol, which may be any for a free operation; in COIN if the symbol is unknown
 * (chain_rules.md#required-fee).
 */
export function requiredFee(parameters: ChainParameters, rule: FeeRule, symbol: string): Asset {
  if (rule === 'free' || rule === 'own') return { amount: 0n, symbol };
  const known = parameters.baseFees.get(symbol);
  const unit = {
    amount: known ?? parameters.baseFees.get(parameters.coinSymbol) ?? 0n,
    symbol: known === undefined ? parameters.coinSymbol : symbol,
  };
  return rule === 'base' ? unit : { ...unit, amount: unit.amount * payloadFactor(parameters, rule.payloadBytes) };
}

/** The creation fee set by the scheduled witnesses; zero in a private net. */
export function creationFee({ rows, parameters }: Pick<ChainState, 'rows' | 'parameters'>): Asset {
  return parameters.isPrivateNet ? coins(parameters, 0n) : rows.only(witnessSchedule).account_creation_fee;
}

/**
 * The charge of an operation that offers the least it may, in the symbol that it offers if fees can be paid in that.
 */
export function operationCost(state: ChainState, rule: FeeRule, symbol: AssetSymbol): Asset {
  if (rule === 'own') return creationFee(state);
  return state.parameters.isPrivateNet ? coins(state.parameters, 0n) : requiredFee(state.parameters, rule, symbol);
}

/** The charge of an operation that offers this fee and was not refused. */
export function chargedFee(state: ChainState, rule: FeeRule, offered: Asset): Asset {
  const { parameters, rows } = state;
  if (rule === 'own') return creationFee(state);
  return coins(parameters, parameters.isPrivateNet ? 0n : inCoins(rows, parameters, offered));
}

/**
 * The charge of an applied operation that its body doesn't tell: the payment for a new account, a fee in another
 * symbol.
 */
export function untoldCharge(
  state: ChainState,
  rule: FeeRule,
  offered: Asset,
): { readonly paid: bigint; readonly given: bigint } | undefined {
  const { rows, parameters } = state;
  if (rule !== 'own' && (parameters.isPrivateNet || offered.symbol === parameters.coinSymbol)) return undefined;
  const paid = inCoins(rows, parameters, offered);
  return { paid, given: rule === 'own' ? paid - creationFee(state).amount : 0n };
}

/** Returns whether the symbol and amount of a fee are acceptable for an operation with that rule. */
export function suffices(rows: RowReader, parameters: ChainParameters, rule: FeeRule, fee: Asset | undefined): boolean {
  if (fee === undefined) return false;
  const required = requiredFee(parameters, rule, fee.symbol);
  return required.symbol === fee.symbol && fee.amount >= required.amount && hasPrice(rows, parameters, fee.symbol);
}

function payloadFactor(parameters: ChainParameters, bytes: number): bigint {
  if (bytes === 0) return parameters.rules.empty_payload_base_fees;
  return BigInt(1 + Math.trunc((bytes - 1) / SIZE_COVERED_IN_BASE_FEE));
}

/**
 * The payer of an operation of that account: its sponsor if it has one. Under rules that require consent the sponsor
 * must be able to pay.
 */
export function feePayer(
  state: ChainState,
  feeAccount: AccountName,
  rule: FeeRule,
  offered: Asset | undefined,
): AccountName {
  const sponsor = state.rows.get(accountFeeSponsors, feeAccount)?.sponsor;
  if (sponsor === undefined || offered === undefined) return feeAccount;
  return !state.parameters.rules.fees_need_consent || coversRequired(state, sponsor, rule, offered.symbol)
    ? sponsor
    : feeAccount;
}

function coversRequired(
  { rows, parameters }: ChainState,
  payer: AccountName,
  rule: FeeRule,
  symbol: AssetSymbol,
): boolean {
  const required = requiredFee(parameters, rule, symbol);
  // A fee that can't be converted is refused when it is charged, for every payer.
  const amount = hasPrice(rows, parameters, required.symbol) ? inCoins(rows, parameters, required) : 0n;
  return (rows.get(accounts, payer)?.balance ?? 0n) >= amount;
}

function hasPrice(rows: RowReader, { coinSymbol }: ChainParameters, symbol: AssetSymbol): boolean {
  if (symbol === coinSymbol) return true;
  const feed = rows.get(feedHistories, symbol);
  return feed !== undefined && !isNullPrice(feed.current_median_history);
}

/** The amount in COIN at the current median price; COIN stays as it is. Refused while no price is known. */
export function inCoins(rows: RowReader, parameters: ChainParameters, amount: Asset): bigint {
  if (amount.symbol === parameters.coinSymbol) return amount.amount;
  const { symbol } = amount;
  const feed =
    rows.get(feedHistories, symbol) ?? refuse.symbol_history_not_found({ symbol, coin: parameters.coinSymbol });
  const price = feed.current_median_history;
  if (isNullPrice(price)) refuse.no_price({ symbol, coin: parameters.coinSymbol });
  return convert(amount, price).amount;
}

/** A fee to be charged. */
export interface Charge {
  readonly rule: FeeRule;
  readonly offered: Asset;
  readonly payer: AccountName;
  /**
   * True if the transaction required the payer's own authority: only then may the payer be charged more than the
   * required fee.
   */
  readonly hasConsent: () => boolean;
}

/**
 * Charges the offered fee of an operation to its payer before the operation is applied (chain_rules.md#charging-a-fee).
 */
export function chargeFee(state: ChainState, { rule, offered, payer, hasConsent }: Charge): void {
  if (rule === 'own' || state.parameters.isPrivateNet) return;
  const required = requiredFee(state.parameters, rule, offered.symbol);
  if (offered.symbol !== required.symbol)
    refuse.fee_symbol({ symbol: offered.symbol, known: [...state.parameters.baseFees.keys()] });
  if (offered.amount < required.amount) refuse.fee_too_small(shownFees(required, offered));
  requireAccount(state.rows, payer);
  const isAbove = offered.amount > required.amount && state.parameters.rules.fees_need_consent;
  if (isAbove && !hasConsent()) refuse.fee_above_required({ ...shownFees(required, offered), payer });
  const amount = inCoins(state.rows, state.parameters, offered);
  if (amount < 0n) refuse.fee_negative({ fee: shownAsset(offered), required: shownAsset(required) });
  payFee(state, payer, amount);
}

function shownFees(required: Asset, offered: Asset): { readonly required: string; readonly offered: string } {
  return { required: shownAsset(required), offered: shownAsset(offered) };
}

/** Moves an amount of COIN from the payer into the pools and out of the supply. */
export function payFee(state: ChainState, payer: AccountName, amount: bigint): void {
  if (amount === 0n) return;
  const { balance } = requireAccount(state.rows, payer);
  if (balance < amount) {
    const { parameters } = state;
    refuse.fee_not_covered({ payer, balance: shownCoins(parameters, balance), fee: shownCoins(parameters, amount) });
  }
  adjustBalance(state, payer, -amount);
  adjustSupply(state, -amount);
  state.rows.put(economicModel, withFee(state.parameters, state.rows.only(economicModel), amount));
}

const withSupply = replacing(globalPropertiesRow, ['current_supply']);
const withPools = replacing(economicModelRow, [
  'burn_pool',
  'mining_pool_from_fees',
  'promotion_pool',
  'interest_pool_from_fees',
]);

/** Changes the supply of COIN (liquid, vesting and in escrow). */
export function adjustSupply(state: ChainState, delta: bigint): void {
  const head = headProperties(state);
  state.rows.put(dynamicGlobalProperties, withSupply(head, { current_supply: head.current_supply + delta }));
}

/** The pools with a fee added. */
function withFee(parameters: ChainParameters, model: EconomicModel, fee: bigint): EconomicModel {
  const { burnt, mined, promoted, shared } = splitFee(parameters, fee);
  return withPools(model, {
    burn_pool: model.burn_pool + burnt,
    mining_pool_from_fees: model.mining_pool_from_fees + mined,
    promotion_pool: model.promotion_pool + promoted,
    interest_pool_from_fees: model.interest_pool_from_fees + shared,
  });
}

interface FeeShares {
  readonly burnt: bigint;
  readonly mined: bigint;
  readonly promoted: bigint;
  /** For interest. */
  readonly shared: bigint;
}

/** The shares of the last fee, cached: nearly all operations pay the same, and division is the main cost of a fee. */
let last:
  | { readonly genesis: ChainParameters['genesis']; readonly fee: bigint; readonly shares: FeeShares }
  | undefined;

/** Splits a fee: a part is burnt, the rest goes to mining, promotion and interest (chain_rules.md#pools). */
function splitFee({ genesis }: ChainParameters, fee: bigint): FeeShares {
  if (last?.fee === fee && last.genesis === genesis) return last.shares;
  const burnt = (fee * BigInt(genesis.burn_fee_percentage)) / ONE_HUNDRED_PERCENT;
  const rest = fee - burnt;
  const mined = (rest * BigInt(genesis.mining_pool_percentage)) / ONE_HUNDRED_PERCENT;
  const promoted = (rest * BigInt(genesis.promotion_pool_percentage)) / ONE_HUNDRED_PERCENT;
  const shares = { burnt, mined, promoted, shared: rest - mined - promoted };
  last = { genesis, fee, shares };
  return shares;
}
