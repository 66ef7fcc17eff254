import { emitVirtual } from '../history.ts';
import { adjustBalance, adjustSupply, shiftToVesting } from '../money.ts';
import { availablePromotion } from '../pools.ts';
import { payOwedBeforeChange, protectAgainstPromotion } from '../protection.ts';
import { known, require } from '../refusal.ts';
import type { State } from '../state.ts';
import { COIN, NEVER, NULL_KEY, smaller, VESTS } from '../values.ts';
import { lockedShares, lockVested } from '../vesting.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { byteLength, checkDue, checkKnown } from './validation.ts';

const MEMO_BYTES = 2048;

/** 7.1 */
const transfer: OperationRules = {
  feeAccount: (body) => body.text('from'),
  fee: 'base',
  authorities: (body) => ({ active: [body.text('from')] }),
  impacts: (body) => [body.text('from'), body.text('to')],
  isPublicOnly: true,
  validate(body) {
    const { amount, symbol } = body.asset('amount');
    require(symbol !== VESTS, 'transferring of COIN Power (STMP) is not allowed.');
    require(amount > 0n, 'Cannot transfer a negative amount (aka: stealing)');
    require(byteLength(body.text('memo')) < MEMO_BYTES, 'Memo is too large');
    require(body.text('memo').isWellFormed(), 'Memo is not UTF8');
  },
  apply(body, state) {
    const { amount, symbol } = body.asset('amount');
    const from = state.account(body.text('from'));
    require(symbol === COIN, 'invalid symbol');
    require(from.balance >= amount, 'Account does not have sufficient funds for transfer.');
    checkKnown(state, body.text('to'));
    adjustBalance(state, from.name, -amount);
    adjustBalance(state, body.text('to'), amount);
  },
};

/** 7.2 */
const transferToVesting: OperationRules = {
  feeAccount: (body) => body.text('from'),
  authorities: (body) => ({ active: [body.text('from')] }),
  impacts: (body) => [body.text('from'), body.text('to')].filter((name, index) => index === 0 || name !== ''),
  isPublicOnly: true,
  validate(body) {
    require(body.asset('amount').symbol === COIN, 'Amount must be COIN');
    require(body.asset('amount').amount > 0n, 'Must transfer a nonzero amount');
  },
  apply(body, state) {
    const { amount } = body.asset('amount');
    const from = state.account(body.text('from'));
    const to = body.text('to') === '' ? from.name : body.text('to');
    checkKnown(state, to);
    require(from.balance >= amount, 'Account does not have sufficient COIN for transfer.');
    if (to !== from.name) {
      adjustBalance(state, from.name, -amount);
      adjustBalance(state, to, amount);
    }
    if (state.parameters.minimumVestingSeconds > 0)
      checkDue(state.parameters, state.headTime + state.parameters.minimumVestingSeconds);
    payOwedBeforeChange(state, to);
    shiftToVesting(state, to, amount);
    lockVested(state, to, amount);
  },
};

const TOO_FEW_SHARES = 'Account does not have sufficient COIN VESTS for withdraw.';
const NO_CHANGE = 'This operation would not change the vesting withdraw rate.';

/** 7.3 */
const withdrawVesting: OperationRules = {
  feeAccount: (body) => body.text('account'),
  authorities: (body) => ({ active: [body.text('account')] }),
  isPublicOnly: true,
  validate(body, { rules }) {
    const { amount, symbol } = body.asset('vesting_shares');
    require(symbol === VESTS, 'Amount must be VESTS');
    if (!rules.negativeWithdrawals) require(amount >= 0n, 'negative withdrawal');
  },
  apply(body, state) {
    const { amount } = body.asset('vesting_shares');
    const account = state.account(body.text('account'));
    require(account.vesting >= 0n && account.vesting >= amount, TOO_FEW_SHARES);
    if (amount === 0n) {
      require(account.withdrawRate !== 0n, NO_CHANGE);
      state.changeAccount(account.name, { withdrawRate: 0n, nextWithdrawal: NEVER, toWithdraw: 0n, withdrawn: 0n });
      return;
    }
    require(amount <= account.vesting - lockedShares(state, account), 'vesting shares are locked');
    startWithdrawal(state, account.name, amount);
  },
};

function startWithdrawal(state: State, name: string, amount: bigint): void {
  const { withdrawIntervals, withdrawIntervalSeconds } = state.parameters;
  const account = state.account(name);
  const rounded = amount / withdrawIntervals;
  const isRoundedUp = state.parameters.rules.instalmentsAreRoundedUp && rounded * withdrawIntervals < amount;
  const rate = isRoundedUp ? rounded + 1n : rounded === 0n ? 1n : rounded;
  require(rate !== account.withdrawRate, NO_CHANGE);
  const witness = state.witnesses.get(name);
  if (witness !== undefined && witness.signingKey !== NULL_KEY)
    require(account.vesting - amount >= state.globals.requiredVesting, 'a witness keeps the required vesting');
  let lastInstalment = state.headTime + withdrawIntervalSeconds;
  for (let left = amount - rate; left > 0n; left -= rate) lastInstalment += withdrawIntervalSeconds;
  checkDue(state.parameters, lastInstalment);
  const nextWithdrawal = state.headTime + withdrawIntervalSeconds;
  state.changeAccount(name, { withdrawRate: rate, nextWithdrawal, toWithdraw: amount, withdrawn: 0n });
}

/** 7.13 */
const transferFromPromotionPool: OperationRules = {
  feeAccount: (body) => body.text('transfer_to'),
  authorities: () => ({ active: ['initminer'] }),
  impacts: (body) => ['initminer', body.text('transfer_to')],
  isPublicOnly: true,
  validate: (body) => require(body.asset('amount').amount > 0n, 'promotion amount not positive'),
  apply(body, state) {
    const { amount, symbol } = body.asset('amount');
    const to = body.text('transfer_to');
    checkKnown(state, to);
    require(symbol === COIN, 'promotion amount not in COIN');
    const withdrawn = smaller(availablePromotion(state), amount);
    require(withdrawn > 0n, 'Insufficient funds in the promotion pool');
    protectAgainstPromotion(state, withdrawn);
    state.changeEconomy({ promotionPool: state.economy.promotionPool - withdrawn });
    adjustBalance(state, to, withdrawn);
    adjustSupply(state, withdrawn);
    emitVirtual(state, 'promotion_pool_withdraw', { to_account: to, withdrawn: { amount: withdrawn, symbol: COIN } });
  },
};

/** 7.14 */
const sponsorFees: OperationRules = {
  feeAccount: (body) => body.text(body.text('sponsor') === '' ? 'sponsored' : 'sponsor'),
  authorities: (body) => ({ active: [body.text(body.text('sponsor') === '' ? 'sponsored' : 'sponsor')] }),
  impacts: (body) => [body.text('sponsor'), body.text('sponsored')].filter((name, index) => index === 1 || name !== ''),
  isPublicOnly: true,
  apply(body, state) {
    const [sponsor, sponsored] = [body.text('sponsor'), body.text('sponsored')];
    const present = state.sponsors.get(sponsored);
    if (sponsor === '') {
      known(present);
      state.sponsors.delete(sponsored);
      return;
    }
    checkKnown(state, sponsor, sponsored);
    if (body.flag('is_sponsoring')) {
      require(present === undefined, 'This account is already sponsored');
      state.sponsors.set(sponsored, sponsor);
    } else {
      require(present === sponsor, 'You are not sponsoring this account');
      state.sponsors.delete(sponsored);
    }
  },
};

export const moneyOperations: OperationTable = {
  transfer,
  transfer_to_vesting: transferToVesting,
  withdraw_vesting: withdrawVesting,
  transfer_from_promotion_pool: transferFromPromotionPool,
  sponsor_fees: sponsorFees,
};
