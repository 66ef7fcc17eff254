import { refusals } from '../base/refusal.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import { dueTime, dueTimeRefusals } from '../state/due_times.ts';
import { requireAccount } from '../state/lookups.ts';
import { shownVests, type ChainParameters } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { accounts, type Account } from '../state/tables/account.ts';
import { witnesses } from '../state/tables/witness.ts';
import { lockedVestings } from '../state/vesting.ts';
import { accountName } from '../values/account_name.ts';
import { asset, sharesAsset, shownAsset } from '../values/asset.ts';
import { NEVER } from '../values/limits.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { timeText } from '../values/time.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  amount_symbol: { text: 'an amount in {vests} expected, got {amount}', lineage: 'Amount must be {vests}' },
  amount_negative: 'an amount of 0 or more expected, got {amount}',
  insufficient_vesting: {
    text: '{account} has {vesting_shares}, less than the {amount} that it withdraws',
    lineage: 'Account does not have sufficient {title} VESTS for withdraw.',
  },
  vesting_too_young:
    '{locked} of the vesting shares stay vested, the next {next} of them until {time}; {free} can be withdrawn',
  rate_unchanged: {
    text: '{account} withdraws {rate} a time already, so this would change nothing',
    lineage: 'This operation would not change the vesting withdraw rate.',
  },
  witness_needs_vesting:
    'witness {account} must keep {required} of its {vesting_shares}, so it cannot withdraw {amount}',
});

/**
 * Starts converting vesting shares back to COIN in equal instalments, the last one smaller; an amount of 0 stops it.
 */
export const withdrawVesting = operation({
  name: 'withdraw_vesting',
  doc: 'Begins to turn vesting shares back into COIN in equal instalments; replaces a running withdrawal, and 0 stops it.',
  fields: paidBody({ fee: asset, account: accountName, vesting_shares: sharesAsset }),
  refuses: { texts: { ...refuse.texts, ...dueTimeRefusals } },
  feeAccount: (body) => body.account,
  authorities: (body) => ({ active: [body.account] }),
  impacts: (body) => [body.account],

  validate({ vesting_shares }, { vestsSymbol, rules }) {
    if (vesting_shares.symbol !== vestsSymbol)
      refuse.amount_symbol({ amount: shownAsset(vesting_shares), vests: vestsSymbol });
    if (vesting_shares.amount < 0n && !rules.negative_withdrawals)
      refuse.amount_negative({ amount: shownAsset(vesting_shares) });
  },

  apply({ account: name, vesting_shares: { amount } }, state) {
    refuseInPrivateNet(state);
    const account = requireAccount(state.rows, name);
    const isCovered = account.vesting_shares >= 0n && account.vesting_shares >= amount;
    if (!isCovered)
      refuse.insufficient_vesting({
        ...withdrawnShares(state, account, amount),
        title: state.parameters.profile.title,
      });
    if (amount === 0n) stopWithdrawal(state, account);
    else startWithdrawal(state, account, amount);
  },
});

function stopWithdrawal(state: ChainState, account: Account): void {
  if (account.vesting_withdraw_rate === 0n) refuseSameRate(state, account);
  state.rows.put(accounts, {
    ...account,
    vesting_withdraw_rate: 0n,
    next_vesting_withdrawal: NEVER,
    to_withdraw: 0n,
    withdrawn: 0n,
  });
}

function startWithdrawal(state: ChainState, account: Account, amount: bigint): void {
  requireFree(state, account, amount);
  const { rate, count } = instalments(state.parameters, amount);
  if (rate === account.vesting_withdraw_rate) refuseSameRate(state, account);
  requireWitnessStays(state, account, amount);
  const { withdrawIntervalSeconds } = state.parameters;
  dueTime(state, `the last of ${count} instalments`, count * withdrawIntervalSeconds);
  const next_vesting_withdrawal = headProperties(state).time + withdrawIntervalSeconds;
  state.rows.put(accounts, {
    ...account,
    vesting_withdraw_rate: rate,
    next_vesting_withdrawal,
    to_withdraw: amount,
    withdrawn: 0n,
  });
}

/** The size of each instalment but the last, which is the rest, and how many there are. */
function instalments(
  { rules, withdrawIntervals }: ChainParameters,
  amount: bigint,
): { readonly rate: bigint; readonly count: number } {
  const intervals = BigInt(withdrawIntervals);
  const rate = rules.instalments_round_up ? roundedUp(amount, intervals) : amount / intervals || 1n;
  // A negative amount, which the lineage takes, is settled by its first instalment.
  return { rate, count: amount < 0n ? 1 : Number(roundedUp(amount, rate)) };
}

function roundedUp(amount: bigint, divisor: bigint): bigint {
  return (amount + divisor - 1n) / divisor;
}

function refuseSameRate({ parameters }: ChainState, { name: account, vesting_withdraw_rate: rate }: Account): never {
  return refuse.rate_unchanged({ account, rate: shownVests(parameters, rate) });
}

type SharesDetails = Readonly<Record<'account' | 'vesting_shares' | 'amount', string>>;

function withdrawnShares(
  { parameters }: ChainState,
  { name: account, vesting_shares }: Account,
  amount: bigint,
): SharesDetails {
  return { account, vesting_shares: shownVests(parameters, vesting_shares), amount: shownVests(parameters, amount) };
}

/** Requires free shares: those from transfer_to_vesting are locked for a while, all others are free. */
function requireFree(state: ChainState, account: Account, amount: bigint): void {
  const vestings = lockedVestings(state, account);
  const [oldest] = vestings;
  if (oldest === undefined) return;
  const locked = vestings.reduce((sum, { shares }) => sum + shares, 0n);
  const free = account.vesting_shares - locked;
  if (amount <= free) return;
  const text = (shares: bigint): string => shownVests(state.parameters, shares);
  const until = oldest.latest + state.parameters.genesis.minimum_vesting_seconds;
  refuse.vesting_too_young({
    locked: text(locked),
    next: text(oldest.shares),
    time: timeText(Math.min(until, NEVER)),
    free: text(free),
  });
}

function requireWitnessStays(state: ChainState, account: Account, amount: bigint): void {
  const witness = state.rows.get(witnesses, account.name);
  const required = headProperties(state).witness_required_vesting;
  if (witness === undefined || witness.signing_key === NULL_KEY) return;
  if (account.vesting_shares - amount >= required) return;
  refuse.witness_needs_vesting({
    ...withdrawnShares(state, account, amount),
    required: shownVests(state.parameters, required),
  });
}
