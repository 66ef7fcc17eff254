import { refusals } from '../base/refusal.ts';
import { text } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { adjustBalance } from '../state/balance.ts';
import { requireAccount } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { MAX_MEMO_BYTES } from '../values/limits.ts';
import { operation } from './operation.ts';

const refuse = refusals({
  vests_not_transferable: 'transferring of {title} Power (STMP) is not allowed.',
  amount_not_positive: 'Cannot transfer a negative amount (aka: stealing)',
  memo_too_large: 'Memo is too large',
  memo_not_utf8: 'Memo is not UTF8',
  invalid_symbol: 'invalid symbol',
  insufficient_funds: 'Account does not have sufficient funds for transfer.',
});

/** Moves COIN from one account to another. */
export const transfer = operation({
  name: 'transfer',
  doc: 'Moves COIN from one account to another.',
  fields: struct({ fee: asset, from: accountName, to: accountName, amount: asset, memo: text }),
  refuses: refuse,
  feeAccount: (body) => body.from,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.from] }),
  impacts: (body) => [body.from, body.to],

  validate({ amount, memo }, parameters) {
    if (amount.symbol === parameters.vestsSymbol) refuse.vests_not_transferable({ title: parameters.profile.title });
    if (amount.amount <= 0n) refuse.amount_not_positive();
    if (Buffer.byteLength(memo) >= MAX_MEMO_BYTES) refuse.memo_too_large();
    if (!memo.isWellFormed()) refuse.memo_not_utf8();
  },

  apply({ from, to, amount }, state) {
    refuseInPrivateNet(state);
    const sender = requireAccount(state.rows, from);
    if (amount.symbol !== state.parameters.coinSymbol) refuse.invalid_symbol();
    if (sender.balance < amount.amount) refuse.insufficient_funds();
    adjustBalance(state, from, -amount.amount);
    adjustBalance(state, to, amount.amount);
  },
});
