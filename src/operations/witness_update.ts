import { refusals } from '../base/refusal.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { coins, shownCoins, INIT_MINER_ACCOUNT, shownVests } from '../state/parameters.ts';
import { witnesses } from '../state/tables/witness.ts';
import { addWitness, lastProducerRefusals, requireOtherProducer, withRates, withUpdate } from '../state/witnesses.ts';
import { accountName } from '../values/account_name.ts';
import { asset, shownAsset } from '../values/asset.ts';
import { chainProperties } from '../values/chain_properties.ts';
import { quotedFiat, shownPrice } from '../values/price.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import { requireUrl, urlRefusals, urlText } from '../values/url_text.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  creation_fee_too_small: 'an account_creation_fee of at least {least} expected, got {fee}',
  block_size_too_small: 'a maximum_block_size of at least {least} expected, got {size}',
  feed_invalid: 'a price feed of {symbol} must quote {coin} against {symbol}, both above zero, got {base} and {quote}',
  insufficient_vesting: {
    text: 'a witness has at least {required}, and {account} has {vesting_shares}; transfer_to_vesting makes more',
    lineage: 'witness requires at least {required} of vested balance',
  },
  block_size_too_large: 'a maximum_block_size of at most {most} expected, got {size}',
  not_selected: {
    text: 'this chain is a private net, where {appointer} appoints witnesses, and {witness} is none',
    lineage: 'only initminer can select witnesses',
  },
});

/** Makes an account a witness, or updates its witness. A null key stops it. */
export const witnessUpdate = operation({
  name: 'witness_update',
  doc: 'Makes an account a witness, or changes what its witness says. A null key stops it. Prices count from the second update on.',
  fields: paidBody({
    fee: asset,
    owner: accountName,
    url: urlText,
    block_signing_key: publicKey,
    props: chainProperties,
  }),
  refuses: { texts: { ...refuse.texts, ...urlRefusals, ...lastProducerRefusals } },
  feeAccount: (body) => body.owner,
  authorities: (body) => ({ active: [body.owner] }),
  impacts: (body) => [body.owner],
  signingKey: (body) => ({ witness: body.owner, key: body.block_signing_key }),

  validate({ url, props }, parameters) {
    requireUrl(url);
    const { minAccountCreationFee, minBlockSizeLimit: least, coinSymbol: coin } = parameters;
    const { account_creation_fee: fee, maximum_block_size: size } = props;
    // The symbol of the fee is not checked.
    if (fee.amount < minAccountCreationFee) {
      refuse.creation_fee_too_small({ fee: shownAsset(fee), least: shownCoins(parameters, minAccountCreationFee) });
    }
    if (size < least) refuse.block_size_too_small({ size, least });
    for (const [symbol, price] of props.price_feeds) {
      if (quotedFiat(price, coin) !== symbol) refuse.feed_invalid({ symbol, coin, ...shownPrice(price) });
    }
  },

  apply(body, state) {
    const { owner, props } = body;
    if (body.block_signing_key === NULL_KEY) requireOtherProducer(state, owner);
    if (state.parameters.isPrivateNet) {
      updateInPrivateNet(state, body);
      return;
    }
    requireVesting(state, owner);
    const { maxBlockBytes: most } = state.parameters;
    const { maximum_block_size: size } = props;
    if (state.isAccepting && size > most) refuse.block_size_too_large({ most, size });
    const witness = state.rows.get(witnesses, owner);
    if (witness === undefined) addWitness(state, owner, body, headProperties(state).time);
    else state.rows.put(witnesses, withRates(state, withUpdate(witness, body), props.price_feeds));
  },
});

type WitnessUpdateBody = Parameters<typeof witnessUpdate.of>[0];

function requireVesting(state: ChainState, owner: string): void {
  const required = headProperties(state).witness_required_vesting;
  const { vesting_shares } = requireAccount(state.rows, owner);
  if (vesting_shares >= required) return;
  const [has, needs] = [shownVests(state.parameters, vesting_shares), shownVests(state.parameters, required)];
  refuse.insufficient_vesting({ account: owner, vesting_shares: has, required: needs });
}

/** In a private net only appointed witnesses may update, and accounts are free. */
function updateInPrivateNet(state: ChainState, body: WitnessUpdateBody): void {
  const witness =
    state.rows.get(witnesses, body.owner) ??
    refuse.not_selected({ witness: body.owner, appointer: INIT_MINER_ACCOUNT });
  const props = { ...body.props, account_creation_fee: coins(state.parameters, 0n) };
  state.rows.put(witnesses, withUpdate(witness, { ...body, props }));
}
