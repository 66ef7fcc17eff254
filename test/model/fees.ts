import type { Body } from './body.ts';
import { adjustBalance, adjustSupply } from './money.ts';
import type { OperationRules } from './operations/operation.ts';
import { addFee } from './pools.ts';
import { known, refuse, require } from './refusal.ts';
import type { State } from './state.ts';
import { COIN, convert, isFiat, type Asset } from './values.ts';

// chain_rules.md#fees.

const BYTES_PER_FEE = 4096;
const EMPTY_PAYLOADS = 1_048_576n;

/** 6.3: what an operation costs in a symbol. */
function requiredFee(state: State, rules: OperationRules, body: Body, symbol: string): Asset {
  const kind = typeof rules.fee === 'function' ? rules.fee(body) : (rules.fee ?? 'free');
  if (kind === 'free' || kind === 'creation') return { amount: 0n, symbol };
  const paidIn = symbol === COIN || isFiat(symbol) ? symbol : COIN;
  const base = state.parameters.baseFees[paidIn];
  return { amount: kind === 'base' ? base : base * payloadFees(state, kind.payloadBytes), symbol: paidIn };
}

function payloadFees(state: State, bytes: number): bigint {
  if (bytes === 0) return state.rules.emptyCustomIsCheap ? 1n : EMPTY_PAYLOADS;
  return BigInt(Math.ceil(bytes / BYTES_PER_FEE));
}

/** The coins that a fee is worth. */
export function inCoins(state: State, fee: Asset): bigint {
  if (fee.symbol === COIN) return fee.amount;
  if (!isFiat(fee.symbol)) return refuse('Symbol history not found');
  const median = state.feeds.get(fee.symbol)?.median ?? refuse('no median price');
  return convert(fee, median);
}

/**
 * 6.1: the sponsor of the operation's fee account, or that account itself. By the rule against milking a sponsor who can't pay the
 * required fee steps aside.
 */
export function feePayer(state: State, rules: OperationRules, body: Body): string {
  const own = rules.feeAccount(body);
  const sponsor = state.sponsors.get(own);
  if (sponsor === undefined) return own;
  return state.rules.poorSponsorsStepAside &&
    !canPay(state, sponsor, requiredFee(state, rules, body, body.asset('fee').symbol))
    ? own
    : sponsor;
}

function canPay(state: State, name: string, required: Asset): boolean {
  if (required.amount === 0n) return true;
  // What a fee in another currency is worth without a price is nobody's to say: it is refused when it is charged.
  const hasPrice =
    required.symbol === COIN || (isFiat(required.symbol) && state.feeds.get(required.symbol)?.median !== undefined);
  return !hasPrice || state.account(name).balance >= inCoins(state, required);
}

/** 6.2; `signers` are the accounts that the whole transaction needs. */
export function chargeFee(
  state: State,
  rules: OperationRules,
  body: Body,
  payer: string,
  signers: ReadonlySet<string>,
): void {
  if (rules.fee === 'creation' || state.parameters.isPrivate) return;
  const fee = body.asset('fee');
  const required = requiredFee(state, rules, body, fee.symbol);
  require(fee.symbol === required.symbol, 'fee cannot be paid in with symbol');
  require(fee.amount >= required.amount, 'fee below the required one');
  const { balance } = known(state.accounts.get(payer));
  if (state.rules.poorSponsorsStepAside)
    require(fee.amount === required.amount || signers.has(payer), 'fee above the required one');
  const amount = inCoins(state, fee);
  require(amount >= 0n, 'negative fee');
  if (amount === 0n) return;
  require(balance >= amount, 'payer cannot pay');
  payFee(state, payer, amount);
}

/** 6.2 step 7. */
export function payFee(state: State, payer: string, amount: bigint): void {
  require(state.account(payer).balance >= amount, 'payer cannot pay');
  adjustBalance(state, payer, -amount);
  adjustSupply(state, -amount);
  addFee(state, amount);
}
