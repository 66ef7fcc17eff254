import { refusals } from '../base/refusal.ts';
import { worded } from '../codec/collections.ts';
import { text } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { adjustBalance } from '../state/balance.ts';
import { headOf } from '../state/chain_state.ts';
import { escrowId } from '../state/escrow.ts';
import { refuseDuplicate, requireAccount } from '../state/lookups.ts';
import { coins } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { escrows } from '../state/tables/escrow.ts';
import { accountName } from '../values/account_name.ts';
import { addAssets, asset, assetObject, assetText } from '../values/asset.ts';
import { jsonTextRefusals, requireMetadata } from '../values/json_text.ts';
import { time } from '../values/time.ts';
import { operation } from './operation.ts';

const refuse = refusals({
  escrow_fee_negative: 'fee cannot be negative',
  amount_not_positive: '{word} amount cannot be negative',
  agent_not_third_party: 'agent must be a third party',
  escrow_fee_symbol: 'fee must be {coin}',
  amount_symbol: '{word} amount must contain {coin}',
  deadline_not_before_expiration: 'ratification deadline must be before escrow expiration',
  deadline_passed: 'The escorw ratification deadline must be after head block time.',
  escrow_not_covered: 'Account cannot cover {coin} costs of escrow. Required: {r} Available: {a}',
});

/** Proposes an escrow: puts an amount and the agent's fee aside until receiver and agent approve or the deadline passes. */
export const escrowTransfer = operation({
  name: 'escrow_transfer',
  doc: 'Puts an amount and a fee for the agent aside until the receiver and the agent have approved the escrow.',
  fields: struct({
    fee: asset,
    from: accountName,
    to: accountName,
    coin_amount: worded(assetObject),
    escrow_id: escrowId,
    agent: accountName,
    escrow_fee: assetObject,
    json_meta: text,
    ratification_deadline: time,
    escrow_expiration: time,
  }),
  refuses: { texts: { ...refuse.texts, ...jsonTextRefusals } },
  feeAccount: (body) => body.from,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.from] }),
  impacts: (body) => [body.from, body.to, body.agent],

  validate(
    { from, to, agent, coin_amount, escrow_fee, json_meta, ratification_deadline, escrow_expiration },
    { coinSymbol, coinWord, profile },
  ) {
    const words = { coin: coinWord, word: profile.word };
    if (escrow_fee.amount < 0n) refuse.escrow_fee_negative();
    if (coin_amount.amount <= 0n) refuse.amount_not_positive(words);
    if (agent === from || agent === to) refuse.agent_not_third_party();
    if (escrow_fee.symbol !== coinSymbol) refuse.escrow_fee_symbol(words);
    if (coin_amount.symbol !== coinSymbol) refuse.amount_symbol(words);
    if (ratification_deadline >= escrow_expiration) refuse.deadline_not_before_expiration();
    requireMetadata(json_meta);
  },

  apply({ from, to, agent, escrow_id, coin_amount, escrow_fee, ratification_deadline, escrow_expiration }, state) {
    refuseInPrivateNet(state);
    const sender = requireAccount(state.rows, from);
    requireAccount(state.rows, to);
    requireAccount(state.rows, agent);
    // The expiration comes after the deadline, so it lies ahead as well.
    if (ratification_deadline <= headOf(state).time) refuse.deadline_passed();
    const costs = addAssets(coin_amount, escrow_fee);
    const available = coins(state.parameters, sender.balance);
    if (available.amount < costs.amount)
      refuse.escrow_not_covered({ coin: state.parameters.coinWord, r: assetText(costs), a: assetText(available) });

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
    if (!isNew) refuseDuplicate('escrow', `${from}/${escrow_id}`);
  },
});
