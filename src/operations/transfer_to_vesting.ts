import { refusals } from '../base/refusal.ts';
import { struct } from '../codec/struct.ts';
import { adjustBalance } from '../state/balance.ts';
import { requireAccount } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { vest } from '../state/vesting.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation } from './operation.ts';
import { payOwedShares } from './virtual/interest.ts';

const refuse = refusals({
  amount_symbol: 'Amount must be {coin}',
  amount_not_positive: 'Must transfer a nonzero amount',
  insufficient_funds: 'Account does not have sufficient {coin} for transfer.',
});

/** Turns COIN into vesting shares, one to one, of the sender or of another account. */
export const transferToVesting = operation({
  name: 'transfer_to_vesting',
  doc: 'Turns COIN into vesting shares, one to one, of the sender or of another account (an empty `to` means the sender).',
  fields: struct({ fee: asset, from: accountName, to: accountName, amount: asset }),
  refuses: refuse,
  feeAccount: (body) => body.from,
  authorities: (body) => ({ active: [body.from] }),
  impacts: ({ from, to }) => (to === '' || to === from ? [from] : [from, to]),

  validate({ amount }, { coinSymbol, coinWord }) {
    if (amount.symbol !== coinSymbol) refuse.amount_symbol({ coin: coinWord });
    if (amount.amount <= 0n) refuse.amount_not_positive();
  },

  apply({ from, to, amount: { amount } }, state) {
    refuseInPrivateNet(state);
    const sender = requireAccount(state.rows, from);
    const target = to === '' ? from : to;
    requireAccount(state.rows, target);
    if (sender.balance < amount) refuse.insufficient_funds({ coin: state.parameters.coinWord });
    if (target !== from) {
      adjustBalance(state, from, -amount);
      adjustBalance(state, target, amount);
    }
    payOwedShares(state, target);
    vest(state, target, amount);
  },
});
