import { refusals } from '../base/refusal.ts';
import type { Codec, PlainOf, ValueOf } from '../codec/codec.ts';
import { withCoinName } from '../codec/collections.ts';
import { struct } from '../codec/struct.ts';
import { speaksLineage } from '../codec/encoding_options.ts';
import { adjustBalance } from '../state/balance.ts';
import { headProperties } from '../state/chain_state.ts';
import { escrowRefusals, isApproved, requireEscrow, requireSameParties, escrowText } from '../state/escrow.ts';
import { requireAccount } from '../state/lookups.ts';
import { coins } from '../state/parameters.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { escrows, type Escrow } from '../state/tables/escrow.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset, assetNai, DECIMALS, nothingOfAsset, shownAsset } from '../values/asset.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { escrowId } from '../values/escrow_id.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  releaser_no_party: {
    text: '"who" must be the sender {from}, the receiver {to} or the agent {agent}, got {given}',
    lineage: 'who must be from or to or agent',
  },
  receiver_no_party: { text: '"receiver" must be {from} or {to}, got {given}', lineage: 'receiver must be from or to' },
  amount_not_positive: { text: 'an amount above 0 expected, got {amount}', lineage: '{word} amount must be positive' },
  amount_symbol: { text: 'an amount in {symbol} expected, got {amount}', lineage: '{word} amount must contain {coin}' },
  release_exceeds_balance: {
    text: 'escrow {escrow} holds {balance}, less than the {amount} to be paid out',
    lineage: 'Release amount exceeds escrow balance. Amount: {amount}, Balance: {balance}',
  },
  escrow_not_approved: {
    text: 'escrow {escrow} is not approved by {to} and {agent} yet, so nothing can be paid out',
    lineage: 'Funds cannot be released prior to escrow approval.',
  },
  only_agent_releases: {
    text: 'escrow {escrow} is disputed, so its agent {agent} alone decides, not {given}',
    lineage: "Only 'agent' ({agent}) can release funds in a disputed escrow.",
  },
  only_parties_release: {
    text: 'escrow {escrow} is not disputed, so {from} and {to} pay out of it, not {given}',
    lineage: "Only 'from' ({from}) and 'to' ({to}) can release funds from a non-disputed escrow",
  },
  only_from_releases_to: {
    text: 'until {expiration} {from} can pay out of escrow {escrow} to {to} only, not to {given}',
    lineage: "Only 'from' ({from}) can release funds to 'to' ({to}).",
  },
  only_to_releases_from: {
    text: 'until {expiration} {to} can pay out of escrow {escrow} to {from} only, not to {given}',
    lineage: "Only 'to' ({to}) can release funds to 'from' ({to}).",
  },
});

const parties = {
  fee: asset,
  from: accountName,
  to: accountName,
  agent: accountName,
  who: accountName,
  receiver: accountName,
};
const released = withCoinName(assetNai);
const ownFields = paidBody(
  { ...parties, escrow_id: escrowId, coin_amount: released },
  { empty: { sbd_amount: nothingOfAsset } },
);

/** Nothing of a currency that this chain does not have, by the identifier that the interface's documents use for it. */
const NOTHING = { amount: '0', precision: DECIMALS, nai: '@@000000013' };
const nothingShown = { ...nothingOfAsset, describe: () => ({ const: NOTHING }) };
const shownFields = struct(
  { ...parties, escrow_id: escrowId, sbd_amount: nothingShown, coin_amount: released },
  { mayLack: ['fee', 'sbd_amount'] },
);

/** The interface shows `sbd_amount`, before the last member; the lineage does not. */
const fields: Codec<ValueOf<typeof ownFields>, PlainOf<typeof ownFields> & { readonly sbd_amount?: string }> = {
  ...ownFields,
  toJson(value, encoding) {
    const json = ownFields.toJson(value, encoding);
    if (speaksLineage(encoding) || typeof json !== 'object' || json === null || Array.isArray(json)) return json;
    const members = Object.entries(json);
    return Object.fromEntries([...members.slice(0, -1), ['sbd_amount', NOTHING], ...members.slice(-1)]);
  },
  describe: (encoding) =>
    (speaksLineage(encoding) || encoding.describesGiven === true ? ownFields : shownFields).describe(encoding),
};

/**
 * Pays out of an escrow: each party to the other, in a dispute the agent, and after expiration either party to either
 * of them.
 */
export const escrowRelease = operation({
  name: 'escrow_release',
  doc: 'Pays out of an approved escrow: from one party to the other; in a dispute, as the agent decides; after expiration, as either party decides.',
  fields,
  refuses: { texts: { ...escrowRefusals, ...refuse.texts } },
  feeAccount: (body) => body.who,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.who] }),
  impacts: (body) => [body.from, body.to, body.agent],

  validate({ from, to, agent, who, receiver, coin_amount }, { coinSymbol, upperCoinName, profile }) {
    if (who !== from && who !== to && who !== agent) refuse.releaser_no_party({ from, to, agent, given: who });
    if (receiver !== from && receiver !== to) refuse.receiver_no_party({ from, to, given: receiver });
    const words = () => ({
      amount: shownAsset(coin_amount),
      symbol: coinSymbol,
      coin: upperCoinName,
      word: profile.coinName,
    });
    if (coin_amount.amount <= 0n) refuse.amount_not_positive(words());
    if (coin_amount.symbol !== coinSymbol) refuse.amount_symbol(words());
  },

  apply(body, state) {
    refuseInPrivateNet(state);
    requireAccount(state.rows, body.from);
    const escrow = requireEscrow(state, body);
    const held = coins(state.parameters, escrow.coin_balance);
    const { amount } = body.coin_amount;
    if (held.amount < amount) {
      refuse.release_exceeds_balance({
        escrow: escrowText(escrow),
        amount: shownAsset(body.coin_amount),
        balance: shownAsset(held),
      });
    }
    // The receiver is known to be a party, because it is one of those that the operation names.
    requireSameParties(escrow, body);
    if (!isApproved(escrow))
      refuse.escrow_not_approved({ escrow: escrowText(escrow), to: escrow.to, agent: escrow.agent });
    requireMayRelease(escrow, body.who, body.receiver, headProperties(state).time);

    adjustBalance(state, body.receiver, amount);
    if (held.amount === amount) state.rows.remove(escrows, { from: escrow.from, escrow_id: escrow.escrow_id });
    else state.rows.put(escrows, { ...escrow, coin_balance: held.amount - amount });
  },
});

function requireMayRelease(escrow: Escrow, who: AccountName, receiver: AccountName, now: Seconds): void {
  const { from, to, agent, disputed, escrow_expiration } = escrow;
  if (disputed) {
    if (who !== agent) refuse.only_agent_releases({ escrow: escrowText(escrow), agent, given: who });
    return;
  }
  if (who !== from && who !== to) refuse.only_parties_release({ escrow: escrowText(escrow), from, to, given: who });
  if (escrow_expiration <= now) return;
  const details = () => ({
    escrow: escrowText(escrow),
    expiration: timeText(escrow_expiration),
    from,
    to,
    given: receiver,
  });
  if (who === from && receiver !== to) refuse.only_from_releases_to(details());
  if (who !== from && receiver !== from) refuse.only_to_releases_from(details());
}
