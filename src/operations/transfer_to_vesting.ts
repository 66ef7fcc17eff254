import { refusals } from '../base/refusal.ts';
import { adjustBalance } from '../state/balance.ts';
import { requireAccount } from '../state/lookups.ts';
import { shownCoins, type ChainParameters } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import type { Account } from '../state/tables/account.ts';
import { vest } from '../state/vesting.ts';
import { accountName } from '../values/account_name.ts';
import { asset, shownAsset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';
import { payOwedShares } from './virtual/interest.ts';

const refuse = refusals({
  amount_symbol: { text: 'an amount in {symbol} expected, got {amount}', lineage: 'Amount must be {coin}' },
  amount_not_positive: { text: 'an amount above 0 expected, got {amount}', lineage: 'Must transfer a nonzero amount' },
  insufficient_funds: {
    text: '{from} has {balance}, less than the {amount} that it turns into vesting shares',
    lineage: 'Account does not have sufficient {coin} for transfer.',
  },
});

/** Converts COIN to vesting shares, one to one, of the sender or of another account. */
export const transferToVesting = operation({
  name: 'transfer_to_vesting',
  doc: 'Turns COIN into vesting shares, one to one, of the sender or of another account (an empty `to` means the sender).',
  fields: paidBody({ fee: asset, from: accountName, to: accountName, amount: asset }),
  refuses: refuse,
  feeAccount: (body) => body.from,
  authorities: (body) => ({ active: [body.from] }),
  impacts: ({ from, to }) => (to === '' || to === from ? [from] : [from, to]),

  validate({ amount }, { coinSymbol, upperCoinName }) {
    if (amount.symbol !== coinSymbol)
      refuse.amount_symbol({ amount: shownAsset(amount), symbol: coinSymbol, coin: upperCoinName });
    if (amount.amount <= 0n) refuse.amount_not_positive({ amount: shownAsset(amount) });
  },

  apply({ from, to, amount: { amount } }, state) {
    refuseInPrivateNet(state);
    const sender = requireAccount(state.rows, from);
    const target = to === '' ? from : to;
    requireAccount(state.rows, target);
    if (sender.balance < amount) refuseUncovered(state.parameters, sender, amount);
    if (target !== from) {
      adjustBalance(state, from, -amount);
      adjustBalance(state, target, amount);
    }
    payOwedShares(state, target);
    vest(state, target, amount);
  },
});

function refuseUncovered(parameters: ChainParameters, { name: from, balance }: Account, amount: bigint): never {
  const [has, needs] = [shownCoins(parameters, balance), shownCoins(parameters, amount)];
  return refuse.insufficient_funds({ from, balance: has, amount: needs, coin: parameters.upperCoinName });
}
