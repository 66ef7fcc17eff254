import { refusals, unlessRefused } from '../base/refusal.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import { requireRow } from '../state/lookups.ts';
import { NULL_ACCOUNT, shownCoins } from '../state/parameters.ts';
import { witnesses, type Witness } from '../state/tables/witness.ts';
import { lastProducerRefusals, requireOtherProducer, withRate } from '../state/witnesses.ts';
import { accountName } from '../values/account_name.ts';
import { asset, shownAsset } from '../values/asset.ts';
import { accountAuthority, keyAuthority } from '../values/authority.ts';
import { extensions } from '../values/extensions.ts';
import { quotedFiat, shownPrice, type Price } from '../values/price.ts';
import { NULL_KEY, publicKeyText, type PublicKey } from '../values/public_key.ts';
import { requireUrl, urlRefusals } from '../values/url_text.ts';
import {
  packedProperties,
  requireUtf8Names,
  unpackProperties,
  witnessPropertyRefusals,
  type WitnessProperties,
} from '../values/witness_properties.ts';
import { operation, paidBody } from './operation.ts';
import { fiatSymbols } from '../values/profile.ts';

const refuse = refusals({
  no_signing_key: {
    text: 'the property key is missing; give the present signing key of {witness}',
    lineage: 'No signing key provided',
  },
  creation_fee_symbol: {
    text: 'an account_creation_fee in {symbol} expected, got {fee}',
    lineage: 'account_creation_fee must be in {coin}',
  },
  creation_fee_too_small: {
    text: 'an account_creation_fee of at least {least} expected, got {fee}',
    lineage: 'account_creation_fee smaller than minimum account creation fee',
  },
  block_size_too_small: {
    text: 'a maximum_block_size of at least {least} expected, got {size}',
    lineage: 'maximum_block_size smaller than minimum max block size',
  },
  not_a_price: 'an exchange rate quotes {coin} against one of {fiat}, both above zero, got {base} and {quote}',
  wrong_signing_key: {
    text: 'witness {witness} signs blocks with {expected}, not with the given key {found}',
    lineage: "'key' does not match witness signing key.",
  },
  block_size_too_large: 'a maximum_block_size of at most {most} expected, got {size}',
});

/**
 * Changes the properties of a witness, signed by its block signing key, so that no account key is needed. If the
 * operation does not name that key, the owner signs.
 */
export const witnessSetProperties = operation({
  name: 'witness_set_properties',
  doc: 'Changes what a witness says of itself. Signed by its present signing key if it names that as the property `key`, else by its owner.',
  fields: paidBody({ fee: asset, owner: accountName, props: packedProperties, extensions }),
  refuses: { texts: { ...refuse.texts, ...urlRefusals, ...witnessPropertyRefusals, ...lastProducerRefusals } },
  feeAccount: (body) => body.owner,
  authorities({ owner, props }, rules) {
    const { key } = unpackProperties(props);
    if (key !== undefined) return { other: [keyAuthority(key)] };
    return rules?.properties_by_owner === false ? { other: [accountAuthority(NULL_ACCOUNT)] } : { active: [owner] };
  },
  impacts: () => [],
  signingKey({ owner, props }) {
    const key = unlessRefused(() => unpackProperties(props))?.new_signing_key;
    return key === undefined ? undefined : { witness: owner, key };
  },

  validate({ owner, props }, parameters) {
    const { rules, coinSymbol, upperCoinName, minAccountCreationFee, minBlockSizeLimit: least } = parameters;
    const {
      key,
      account_creation_fee: fee,
      maximum_block_size: size,
      exchange_rates = [],
      url,
    } = unpackProperties(props);
    if (!rules.texts_of_any_bytes) requireUtf8Names(props);
    if (key === undefined && !rules.properties_by_owner) refuse.no_signing_key({ witness: owner });
    if (fee !== undefined) {
      if (fee.symbol !== coinSymbol)
        refuse.creation_fee_symbol({ fee: shownAsset(fee), symbol: coinSymbol, coin: upperCoinName });
      if (fee.amount < minAccountCreationFee) {
        refuse.creation_fee_too_small({ fee: shownAsset(fee), least: shownCoins(parameters, minAccountCreationFee) });
      }
    }
    if (size !== undefined && size < least) refuse.block_size_too_small({ size, least });
    for (const rate of exchange_rates) {
      if (quotedFiat(rate, coinSymbol) === undefined)
        refuse.not_a_price({ coin: coinSymbol, fiat: fiatSymbols, ...shownPrice(rate) });
    }
    if (url !== undefined) requireUrl(url);
  },

  apply({ owner, props }, state) {
    const given = unpackProperties(props);
    const witness = requireRow(state.rows, witnesses, owner, owner);
    if (given.key !== undefined && given.key !== witness.signing_key) refuseKey(state, witness, given.key);
    const { maximum_block_size: size = 0 } = given;
    const { maxBlockBytes: most } = state.parameters;
    if (size > most) refuse.block_size_too_large({ most, size });
    if (given.new_signing_key === NULL_KEY) requireOtherProducer(state, owner);
    state.rows.put(witnesses, withProperties(state, witness, given));
  },
});

function refuseKey({ parameters }: ChainState, { owner, signing_key }: Witness, key: PublicKey): never {
  const { keyPrefix } = parameters.profile;
  const [expected, found] = [publicKeyText(signing_key, keyPrefix), publicKeyText(key, keyPrefix)];
  return refuse.wrong_signing_key({ witness: owner, expected, found });
}

/** Applies the properties. In a private net accounts are free and there are no prices. */
function withProperties(state: ChainState, witness: Witness, given: WitnessProperties): Witness {
  const { isPrivateNet } = state.parameters;
  const changed = {
    ...witness,
    maximum_block_size: given.maximum_block_size ?? witness.maximum_block_size,
    signing_key: given.new_signing_key ?? witness.signing_key,
    url: given.url ?? witness.url,
  };
  if (isPrivateNet) return changed;
  const account_creation_fee = given.account_creation_fee ?? witness.account_creation_fee;
  return (given.exchange_rates ?? []).reduce((updated, rate) => withExchangeRate(state, updated, rate), {
    ...changed,
    account_creation_fee,
  });
}

function withExchangeRate(state: ChainState, witness: Witness, rate: Price): Witness {
  const symbol = quotedFiat(rate, state.parameters.coinSymbol);
  return symbol === undefined ? witness : withRate(state.parameters, witness, symbol, rate, headProperties(state).time);
}
