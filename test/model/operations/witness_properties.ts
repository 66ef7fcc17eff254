import { unpackProperties, type WitnessProperties } from '../../../src/values/witness_properties.ts';
import { Refusal } from '../../../src/base/refusal.ts';
import type { Body } from '../body.ts';
import type { Parameters } from '../parameters.ts';
import { refuse, require } from '../refusal.ts';
import type { State } from '../state.ts';
import { COIN, fiatOfRate, NULL_KEY, ofAccount, ofKey } from '../values.ts';
import type { OperationRules, OperationTable, Required } from './operation.ts';
import { checkUrl } from './validation.ts';
import { checkLastKey, storeRate } from './witnesses.ts';

function readProperties(body: Body): WitnessProperties {
  try {
    return unpackProperties(body.packed('props'));
  } catch (error) {
    if (error instanceof Refusal) return refuse('property cannot be unpacked');
    throw error;
  }
}

function authorities(body: Body, propertiesNeedNoKey: boolean): Required {
  const { key } = readProperties(body);
  if (key !== undefined) return { other: [ofKey(key)] };
  return propertiesNeedNoKey ? { active: [body.text('owner')] } : { other: [ofAccount('none')] };
}

/** 7.8 */
const witnessSetProperties: OperationRules = {
  feeAccount: (body) => body.text('owner'),
  authorities: (body, { propertiesNeedNoKey }) => authorities(body, propertiesNeedNoKey),
  impacts: () => [],
  validate(body, parameters) {
    const properties = readProperties(body);
    const names = body.packed('props').map(([name]) => name);
    if (!parameters.rules.anyBytesAsTexts)
      require(names.every((name) => name.isWellFormed()), 'name of a property is no UTF-8');
    require(properties.key !== undefined || parameters.rules.propertiesNeedNoKey, 'No signing key provided');
    checkValues(properties, parameters);
  },
  apply(body, state) {
    const owner = body.text('owner');
    const witness = state.witnesses.get(owner) ?? refuse('unknown key');
    const properties = readProperties(body);
    require(properties.key === undefined ||
      properties.key === witness.signingKey, "'key' does not match witness signing key.");
    require((properties.maximum_block_size ?? 0) <=
      state.parameters.maxBlockSize, 'maximum block size above the maximum');
    if (properties.new_signing_key === NULL_KEY) checkLastKey(state, owner);
    setProperties(state, owner, properties);
  },
};

function checkValues(properties: WitnessProperties, { minimumCreationFee, minBlockSizeLimit }: Parameters): void {
  const { account_creation_fee: fee, maximum_block_size, exchange_rates, url } = properties;
  if (fee !== undefined) {
    require(fee.symbol === COIN, 'account_creation_fee must be in COIN');
    require(fee.amount >= minimumCreationFee, 'account_creation_fee smaller than minimum account creation fee');
  }
  if (maximum_block_size !== undefined)
    require(maximum_block_size >= minBlockSizeLimit, 'maximum_block_size smaller than minimum max block size');
  for (const rate of exchange_rates ?? []) require(fiatOfRate(rate) !== undefined, 'exchange rate of another kind');
  if (url !== undefined) checkUrl(url);
}

function setProperties(state: State, owner: string, properties: WitnessProperties): void {
  const { account_creation_fee, maximum_block_size, new_signing_key, exchange_rates, url } = properties;
  const { isPrivate } = state.parameters;
  state.changeWitness(owner, {
    ...(account_creation_fee === undefined || isPrivate ? {} : { creationFee: account_creation_fee }),
    ...(maximum_block_size === undefined ? {} : { maximumBlockSize: maximum_block_size }),
    ...(new_signing_key === undefined ? {} : { signingKey: new_signing_key }),
    ...(url === undefined ? {} : { url }),
  });
  if (isPrivate) return;
  for (const rate of exchange_rates ?? []) {
    const fiat = fiatOfRate(rate);
    if (fiat !== undefined) storeRate(state, owner, fiat, rate);
  }
}

export const propertyOperations: OperationTable = { witness_set_properties: witnessSetProperties };
