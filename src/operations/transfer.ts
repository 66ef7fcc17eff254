import { refusals } from '../base/refusal.ts';
import { text } from '../codec/primitives.ts';
import { adjustBalance } from '../state/balance.ts';
import { requireAccount } from '../state/lookups.ts';
import { shownCoins } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { accountName } from '../values/account_name.ts';
import { asset, shownAsset } from '../values/asset.ts';
import { limitedText } from '../values/limited_text.ts';
import { MAX_MEMO_BYTES } from '../values/limits.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  vests_not_transferable: {
    text: '{amount} are vesting shares, which cannot be transferred; an amount in {coin} can',
    lineage: 'transferring of {title} Power (STMP) is not allowed.',
  },
  amount_not_positive: {
    text: 'an amount above 0 expected, got {amount}',
    lineage: 'Cannot transfer a negative amount (aka: stealing)',
  },
  memo_too_large: { text: 'the memo has {bytes} bytes; at most {most} are taken', lineage: 'Memo is too large' },
  memo_not_utf8: { text: 'the memo is no valid UTF-8', lineage: 'Memo is not UTF8' },
  invalid_symbol: { text: 'an amount in {coin} expected, got {amount}', lineage: 'invalid symbol' },
  insufficient_funds: {
    text: '{from} has {balance}, less than the {amount} that it sends: send less, or fund {from} first',
    lineage: 'Account does not have sufficient funds for transfer.',
  },
});

/** A memo as a transfer gives it. */
export const memoText = limitedText(text, MAX_MEMO_BYTES - 1, refuse.memo_too_large);

/** The refusals of reading a memo. */
export const longMemo = { memo_too_large: refuse.texts.memo_too_large };

/** Moves COIN from one account to another. */
export const transfer = operation({
  name: 'transfer',
  doc: 'Moves COIN from one account to another.',
  fields: paidBody({ fee: asset, from: accountName, to: accountName, amount: asset, memo: memoText }),
  refuses: refuse,
  feeAccount: (body) => body.from,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.from] }),
  impacts: (body) => [body.from, body.to],

  validate({ amount, memo }, parameters) {
    const { vestsSymbol, coinSymbol: coin, profile } = parameters;
    if (amount.symbol === vestsSymbol)
      refuse.vests_not_transferable({ amount: shownAsset(amount), coin, title: profile.title });
    if (amount.amount <= 0n) refuse.amount_not_positive({ amount: shownAsset(amount) });
    const bytes = Buffer.byteLength(memo);
    if (bytes >= MAX_MEMO_BYTES) refuse.memo_too_large({ bytes, most: MAX_MEMO_BYTES - 1 });
    if (!memo.isWellFormed()) refuse.memo_not_utf8();
  },

  apply({ from, to, amount }, state) {
    refuseInPrivateNet(state);
    const sender = requireAccount(state.rows, from);
    const { coinSymbol: coin } = state.parameters;
    if (amount.symbol !== coin) refuse.invalid_symbol({ amount: shownAsset(amount), coin });
    if (sender.balance < amount.amount) {
      refuse.insufficient_funds({
        from,
        balance: shownCoins(state.parameters, sender.balance),
        amount: shownAsset(amount),
      });
    }
    adjustBalance(state, from, -amount.amount);
    adjustBalance(state, to, amount.amount);
  },
});
