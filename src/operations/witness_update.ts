import { refusals } from '../base/refusal.ts';
import { text } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { coins, vests } from '../state/parameters.ts';
import { witnesses } from '../state/tables/witness.ts';
import { addWitness, lastProducerRefusals, requireOtherProducer, withRates, withUpdate } from '../state/witnesses.ts';
import { accountName } from '../values/account_name.ts';
import { asset, assetText } from '../values/asset.ts';
import { chainProperties } from '../values/chain_properties.ts';
import { fiatOf } from '../values/price.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import { requireUrl, urlRefusals } from '../values/url_text.ts';
import { operation } from './operation.ts';

const refuse = refusals({
  creation_fee_too_small: 'account_creation_fee is smaller than {least}',
  block_size_too_small: 'maximum_block_size is smaller than {least}',
  feed_invalid: 'the price feed of {symbol} does not quote the coin against it',
  insufficient_vesting: 'witness requires at least {a} of vested balance',
  block_size_too_large: 'maximum_block_size is larger than {most}',
  not_selected: 'only initminer can select witnesses',
});

/** Makes an account a witness, or changes what its witness says. A null key stops it. */
export const witnessUpdate = operation({
  name: 'witness_update',
  doc: 'Makes an account a witness, or changes what its witness says. A null key stops it. Prices count from the second update on.',
  fields: struct({ fee: asset, owner: accountName, url: text, block_signing_key: publicKey, props: chainProperties }),
  refuses: { texts: { ...refuse.texts, ...urlRefusals, ...lastProducerRefusals } },
  feeAccount: (body) => body.owner,
  authorities: (body) => ({ active: [body.owner] }),
  impacts: (body) => [body.owner],

  validate({ url, props }, { minAccountCreationFee, minBlockSizeLimit, coinSymbol }) {
    requireUrl(url);
    // The symbol of the fee isn't looked at.
    if (props.account_creation_fee.amount < minAccountCreationFee) refuse.creation_fee_too_small({ least: minAccountCreationFee });
    if (props.maximum_block_size < minBlockSizeLimit) refuse.block_size_too_small({ least: minBlockSizeLimit });
    for (const [symbol, price] of props.price_feeds) {
      if (fiatOf(price, coinSymbol) !== symbol) refuse.feed_invalid({ symbol });
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
    const { maxBlockBytes } = state.parameters;
    if (state.isAccepting && props.maximum_block_size > maxBlockBytes) refuse.block_size_too_large({ most: maxBlockBytes });
    const witness = state.rows.get(witnesses, owner);
    if (witness === undefined) addWitness(state, owner, body, headOf(state).time);
    else state.rows.put(witnesses, withRates(state, withUpdate(witness, body), props.price_feeds));
  },
});

type WitnessUpdateBody = Parameters<typeof witnessUpdate.of>[0];

function requireVesting(state: ChainState, owner: string): void {
  const required = headOf(state).witness_required_vesting;
  const { vesting_shares } = requireAccount(state.rows, owner);
  if (vesting_shares < required) refuse.insufficient_vesting({ a: assetText(vests(state.parameters, required)) });
}

/** There only witnesses that were appointed may speak, and accounts cost nothing. */
function updateInPrivateNet(state: ChainState, body: WitnessUpdateBody): void {
  const witness = state.rows.get(witnesses, body.owner) ?? refuse.not_selected();
  const props = { ...body.props, account_creation_fee: coins(state.parameters, 0n) };
  state.rows.put(witnesses, withUpdate(witness, { ...body, props }));
}
