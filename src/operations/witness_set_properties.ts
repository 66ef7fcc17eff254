import { refusals } from '../base/refusal.ts';
import { struct } from '../codec/struct.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { requireRow } from '../state/lookups.ts';
import { NULL_ACCOUNT } from '../state/parameters.ts';
import { witnesses, type Witness } from '../state/tables/witness.ts';
import { lastProducerRefusals, requireOtherProducer, withRate } from '../state/witnesses.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { accountAuthority, keyAuthority } from '../values/authority.ts';
import { extensions } from '../values/extensions.ts';
import { fiatOf, type Price } from '../values/price.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { requireUrl, urlRefusals } from '../values/url_text.ts';
import { packedProperties, unpackProperties, witnessPropertyRefusals, type WitnessProperties } from '../values/witness_properties.ts';
import { operation } from './operation.ts';

const refuse = refusals({
  no_signing_key: 'No signing key provided',
  creation_fee_symbol: 'account_creation_fee must be in {coin}',
  creation_fee_too_small: 'account_creation_fee smaller than minimum account creation fee',
  block_size_too_small: 'maximum_block_size smaller than minimum max block size',
  not_a_price: 'an exchange rate quotes {coin} against one of USD, EUR, CHF, CNY and GBP, both above zero',
  wrong_signing_key: "'key' does not match witness signing key.",
  block_size_too_large: 'maximum_block_size is larger than {most}',
});

/**
 * Changes what a witness says, signed by the key that it produces with: no account key has to be at hand. A witness that does not name
 * that key signs as its owner.
 */
export const witnessSetProperties = operation({
  name: 'witness_set_properties',
  doc: 'Changes what a witness says of itself. Signed by its present signing key if it names that as the property `key`, else by its owner.',
  fields: struct({ fee: asset, owner: accountName, props: packedProperties, extensions }),
  refuses: { texts: { ...refuse.texts, ...urlRefusals, ...witnessPropertyRefusals, ...lastProducerRefusals } },
  feeAccount: (body) => body.owner,
  authorities({ owner, props }, rules) {
    const { key } = unpackProperties(props);
    if (key !== undefined) return { other: [keyAuthority(key)] };
    return rules?.properties_by_owner === false ? { other: [accountAuthority(NULL_ACCOUNT)] } : { active: [owner] };
  },
  impacts: () => [],

  validate({ props }, { rules, coinSymbol, coinWord, minAccountCreationFee, minBlockSizeLimit }) {
    const { key, account_creation_fee: fee, maximum_block_size: size, exchange_rates = [], url } = unpackProperties(props);
    if (key === undefined && !rules.properties_by_owner) refuse.no_signing_key();
    if (fee !== undefined) {
      if (fee.symbol !== coinSymbol) refuse.creation_fee_symbol({ coin: coinWord });
      if (fee.amount < minAccountCreationFee) refuse.creation_fee_too_small();
    }
    if (size !== undefined && size < minBlockSizeLimit) refuse.block_size_too_small();
    for (const rate of exchange_rates) if (fiatOf(rate, coinSymbol) === undefined) refuse.not_a_price({ coin: coinSymbol });
    if (url !== undefined) requireUrl(url);
  },

  apply({ owner, props }, state) {
    const given = unpackProperties(props);
    const witness = requireRow(state.rows, witnesses, owner, owner);
    if (given.key !== undefined && given.key !== witness.signing_key) refuse.wrong_signing_key();
    const most = state.parameters.maxBlockBytes;
    if ((given.maximum_block_size ?? 0) > most) refuse.block_size_too_large({ most });
    if (given.new_signing_key === NULL_KEY) requireOtherProducer(state, owner);
    state.rows.put(witnesses, withProperties(state, witness, given));
  },
});

/** In a private net accounts are free and there are no prices. */
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
  const symbol = fiatOf(rate, state.parameters.coinSymbol);
  return symbol === undefined ? witness : withRate(state.parameters, witness, symbol, rate, headOf(state).time);
}
