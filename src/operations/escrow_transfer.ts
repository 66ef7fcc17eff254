import { refusals } from '../base/refusal.ts';
import { withCoinName } from '../codec/collections.ts';
import { adjustBalance } from '../state/balance.ts';
import { headProperties } from '../state/chain_state.ts';
import { dueTimeRefusals, requireDueTime } from '../state/due_times.ts';
import { escrowText } from '../state/escrow.ts';
import { refuseDuplicate, requireAccount } from '../state/lookups.ts';
import { coins } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { escrows } from '../state/tables/escrow.ts';
import { accountName } from '../values/account_name.ts';
import { addAssets, asset, assetObject, shownAsset } from '../values/asset.ts';
import { jsonTextRefusals, requireMetadata } from '../values/json_text.ts';
import { sentText } from '../values/limited_text.ts';
import { time, timeText } from '../values/time.ts';
import { escrowId } from '../values/escrow_id.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  escrow_fee_negative: {
    text: 'an escrow_fee of 0 or more expected, got {escrow_fee}',
    lineage: 'fee cannot be negative',
  },
  amount_not_positive: {
    text: 'an amount above 0 expected, got {amount}',
    lineage: '{word} amount cannot be negative',
  },
  agent_not_third_party: {
    text: 'the agent must be a third account, neither the sender {from} nor the receiver {to}, got {agent}',
    lineage: 'agent must be a third party',
  },
  escrow_fee_symbol: { text: 'an escrow_fee in {symbol} expected, got {escrow_fee}', lineage: 'fee must be {coin}' },
  amount_symbol: { text: 'an amount in {symbol} expected, got {amount}', lineage: '{word} amount must contain {coin}' },
  deadline_not_before_expiration: {
    text: 'a ratification_deadline before the escrow_expiration of {expiration} expected, got {deadline}',
    lineage: 'ratification deadline must be before escrow expiration',
  },
  deadline_passed: {
    text: 'a ratification_deadline after {head_time} expected, which it is on the chain, got {deadline}',
    lineage: 'The escorw ratification deadline must be after head block time.',
  },
  escrow_not_covered: {
    text: '{from} has {available}, less than the {required} of amount and escrow_fee together',
    lineage: 'Account cannot cover {coin} costs of escrow. Required: {required} Available: {available}',
  },
});

/**
 * Proposes an escrow: sets aside an amount and the agent's fee until receiver and agent approve or the deadline passes.
 */
export const escrowTransfer = operation({
  name: 'escrow_transfer',
  doc: 'Puts an amount and a fee for the agent aside until the receiver and the agent have approved the escrow.',
  fields: paidBody({
    fee: asset,
    from: accountName,
    to: accountName,
    coin_amount: withCoinName(assetObject),
    escrow_id: escrowId,
    agent: accountName,
    escrow_fee: assetObject,
    json_meta: sentText,
    ratification_deadline: time,
    escrow_expiration: time,
  }),
  refuses: { texts: { ...refuse.texts, ...dueTimeRefusals, ...jsonTextRefusals } },
  feeAccount: (body) => body.from,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.from] }),
  impacts: (body) => [body.from, body.to, body.agent],

  validate(
    { from, to, agent, coin_amount, escrow_fee, json_meta, ratification_deadline, escrow_expiration },
    parameters,
  ) {
    const { coinSymbol, upperCoinName, profile } = parameters;
    const words = () => ({ symbol: coinSymbol, coin: upperCoinName, word: profile.coinName });
    if (escrow_fee.amount < 0n) refuse.escrow_fee_negative({ escrow_fee: shownAsset(escrow_fee) });
    if (coin_amount.amount <= 0n) refuse.amount_not_positive({ ...words(), amount: shownAsset(coin_amount) });
    if (agent === from || agent === to) refuse.agent_not_third_party({ from, to, agent });
    if (escrow_fee.symbol !== coinSymbol) refuse.escrow_fee_symbol({ ...words(), escrow_fee: shownAsset(escrow_fee) });
    if (coin_amount.symbol !== coinSymbol) refuse.amount_symbol({ ...words(), amount: shownAsset(coin_amount) });
    if (ratification_deadline >= escrow_expiration) {
      refuse.deadline_not_before_expiration({
        deadline: timeText(ratification_deadline),
        expiration: timeText(escrow_expiration),
      });
    }
    // It is after the deadline, so a block comes for both.
    requireDueTime(parameters, 'the escrow_expiration', escrow_expiration);
    requireMetadata(json_meta);
  },

  apply({ from, to, agent, escrow_id, coin_amount, escrow_fee, ratification_deadline, escrow_expiration }, state) {
    refuseInPrivateNet(state);
    const sender = requireAccount(state.rows, from);
    requireAccount(state.rows, to);
    requireAccount(state.rows, agent);
    // The expiration is after the deadline, so it is in the future as well.
    const { time: now } = headProperties(state);
    if (ratification_deadline <= now)
      refuse.deadline_passed({ deadline: timeText(ratification_deadline), head_time: timeText(now) });
    const costs = addAssets(coin_amount, escrow_fee);
    const available = coins(state.parameters, sender.balance);
    if (available.amount < costs.amount) {
      const { upperCoinName: coin } = state.parameters;
      refuse.escrow_not_covered({ from, coin, required: shownAsset(costs), available: shownAsset(available) });
    }

    adjustBalance(state, from, -costs.amount);
    const isNew = state.rows.insert(escrows, {
      id: state.rows.nextId(escrows),
      escrow_id,
      from,
      to,
      agent,
      ratification_deadline,
      escrow_expiration,
      coin_balance: coin_amount.amount,
      pending_fee: escrow_fee.amount,
      to_approved: false,
      agent_approved: false,
      disputed: false,
    });
    if (!isNew) refuseDuplicate('escrow', escrowText({ from, escrow_id }));
  },
});
