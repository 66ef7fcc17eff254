import { refusals } from '../base/refusal.ts';
import { worded } from '../codec/collections.ts';
import { struct } from '../codec/struct.ts';
import { adjustBalance } from '../state/balance.ts';
import { headOf } from '../state/chain_state.ts';
import { escrowId, escrowRefusals, isApproved, requireEscrow, requireSameParties } from '../state/escrow.ts';
import { requireAccount } from '../state/lookups.ts';
import { coins } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { escrows, type Escrow } from '../state/tables/escrow.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset, assetNai, assetText, nothingOfAsset } from '../values/asset.ts';
import type { Seconds } from '../values/time.ts';
import { operation } from './operation.ts';

const refuse = refusals({
  releaser_no_party: 'who must be from or to or agent',
  receiver_no_party: 'receiver must be from or to',
  amount_not_positive: '{word} amount must be positive',
  amount_symbol: '{word} amount must contain {coin}',
  release_exceeds_balance: 'Release amount exceeds escrow balance. Amount: {a}, Balance: {b}',
  escrow_not_approved: 'Funds cannot be released prior to escrow approval.',
  only_agent_releases: "Only 'agent' ({a}) can release funds in a disputed escrow.",
  only_parties_release: "Only 'from' ({f}) and 'to' ({t}) can release funds from a non-disputed escrow",
  only_from_releases_to: "Only 'from' ({f}) can release funds to 'to' ({t}).",
  only_to_releases_from: "Only 'to' ({t}) can release funds to 'from' ({t}).",
});

/** Pays out of an escrow: each party to the other, the agent in a dispute, and after expiration either party to anyone of them. */
export const escrowRelease = operation({
  name: 'escrow_release',
  doc: 'Pays out of an approved escrow: from one party to the other; in a dispute, as the agent decides; after expiration, as either party decides.',
  fields: struct(
    {
      fee: asset,
      from: accountName,
      to: accountName,
      agent: accountName,
      who: accountName,
      receiver: accountName,
      escrow_id: escrowId,
      coin_amount: worded(assetNai),
    },
    { empty: { sbd_amount: nothingOfAsset } },
  ),
  refuses: { texts: { ...escrowRefusals, ...refuse.texts } },
  feeAccount: (body) => body.who,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.who] }),
  impacts: (body) => [body.from, body.to, body.agent],

  validate({ from, to, agent, who, receiver, coin_amount }, { coinSymbol, coinWord, profile }) {
    const words = { coin: coinWord, word: profile.word };
    if (who !== from && who !== to && who !== agent) refuse.releaser_no_party();
    if (receiver !== from && receiver !== to) refuse.receiver_no_party();
    if (coin_amount.amount <= 0n) refuse.amount_not_positive(words);
    if (coin_amount.symbol !== coinSymbol) refuse.amount_symbol(words);
  },

  apply(body, state) {
    refuseInPrivateNet(state);
    requireAccount(state.rows, body.from);
    const escrow = requireEscrow(state, body);
    const held = coins(state.parameters, escrow.coin_balance);
    const { amount } = body.coin_amount;
    if (held.amount < amount) refuse.release_exceeds_balance({ a: assetText(body.coin_amount), b: assetText(held) });
    // The receiver is one of the parties now, because it is one of those that the operation names.
    requireSameParties(escrow, body);
    if (!isApproved(escrow)) refuse.escrow_not_approved();
    requireMayRelease(escrow, body.who, body.receiver, headOf(state).time);

    adjustBalance(state, body.receiver, amount);
    if (held.amount === amount) state.rows.remove(escrows, { from: escrow.from, escrow_id: escrow.escrow_id });
    else state.rows.put(escrows, { ...escrow, coin_balance: held.amount - amount });
  },
});

function requireMayRelease(
  { from, to, agent, disputed, escrow_expiration }: Escrow,
  who: AccountName,
  receiver: AccountName,
  now: Seconds,
): void {
  if (disputed) {
    if (who !== agent) refuse.only_agent_releases({ a: agent });
    return;
  }
  if (who !== from && who !== to) refuse.only_parties_release({ f: from, t: to });
  if (escrow_expiration <= now) return;
  if (who === from && receiver !== to) refuse.only_from_releases_to({ f: from, t: to });
  if (who !== from && receiver !== from) refuse.only_to_releases_from({ f: from, t: to });
}
