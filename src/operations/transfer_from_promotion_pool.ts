import { refusals } from '../base/refusal.ts';
import { adjustBalance } from '../state/balance.ts';
import { headProperties } from '../state/chain_state.ts';
import { firstTimeCoins, protectHolders } from '../state/dilution_protection.ts';
import { adjustSupply } from '../state/fees.ts';
import { requireAccount } from '../state/lookups.ts';
import { coins, INIT_MINER_ACCOUNT, shownCoins } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { availablePromotionPool } from '../state/promotion_pool.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { accountName } from '../values/account_name.ts';
import { asset, least, shownAsset } from '../values/asset.ts';
import { extensions } from '../values/extensions.ts';
import { operation, paidBody } from './operation.ts';
import { promotionPoolWithdraw } from './virtual/promotion_pool_withdraw.ts';

const refuse = refusals({
  amount_not_positive: 'an amount above 0 expected, got {amount}',
  invalid_symbol: 'an amount in {coin} expected, which is what the promotion pool holds, got {amount}',
  pool_exhausted: {
    text: 'the promotion pool can pay out {available} at block {block}; ask again later',
    lineage: 'Insufficient funds in the promotion pool',
  },
});

/** Pays out of the promotion pool, at most what is available. */
export const transferFromPromotionPool = operation({
  name: 'transfer_from_promotion_pool',
  doc: 'Pays out of the promotion pool on behalf of the first witness. Asking for more than is available takes what there is.',
  fields: paidBody({ fee: asset, transfer_to: accountName, amount: asset, extensions }),
  refuses: refuse,
  feeAccount: (body) => body.transfer_to,
  authorities: () => ({ active: [INIT_MINER_ACCOUNT] }),
  impacts: (body) => [INIT_MINER_ACCOUNT, body.transfer_to],

  validate({ amount }) {
    if (amount.amount <= 0n) refuse.amount_not_positive({ amount: shownAsset(amount) });
  },

  apply({ transfer_to, amount }, state) {
    const { parameters } = state;
    refuseInPrivateNet(state);
    requireAccount(state.rows, transfer_to);
    const { coinSymbol: coin } = parameters;
    if (amount.symbol !== coin) refuse.invalid_symbol({ amount: shownAsset(amount), coin });
    const model = state.rows.only(economicModel);
    const { head_block_number: block } = headProperties(state);
    const available = availablePromotionPool(parameters, model, block);
    const withdrawn = least(available, amount.amount);
    if (withdrawn <= 0n) refuse.pool_exhausted({ available: shownCoins(parameters, withdrawn), block });

    const firstTime = firstTimeCoins(model, withdrawn);
    state.rows.put(economicModel, {
      ...model,
      promotion_pool: model.promotion_pool - withdrawn,
      promotion_withdrawn: model.promotion_withdrawn + firstTime,
    });
    protectHolders(state, firstTime);
    adjustBalance(state, transfer_to, withdrawn);
    adjustSupply(state, withdrawn);
    state.emit(promotionPoolWithdraw.of({ to_account: transfer_to, withdrawn: coins(parameters, withdrawn) }));
  },
});
