import type { Json } from '../../src/codec/json.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { operationBody, type Operation } from '../../src/operations/operation.ts';
import { interest } from '../../src/operations/virtual/interest.ts';
import { withdrawVesting } from '../../src/operations/withdraw_vesting.ts';
import { witnessSetProperties } from '../../src/operations/witness_set_properties.ts';
import { encoding, people } from '../builders/chain.ts';
import type { RandomSource } from '../builders/random_source.ts';
import type { RandomOperation } from '../builders/random_operations/index.ts';

/** Values that no operation should have, or that lie on a limit, by the member that they are for. */
const strange: Readonly<Record<string, readonly Json[]>> = {
  amount: ['0.000000 COIN', '1.000000 VESTS', '1.000000 USD', '999999999.000000 COIN'],
  coin_amount: ['0.000000 COIN', '1.000000 VESTS'],
  escrow_fee: ['1.000000 VESTS', '0.000000 COIN'],
  vesting_shares: ['1.000000 COIN'],
  ratification_deadline: ['2100-01-01T00:00:00', '2018-01-01T00:00:00'],
  escrow_expiration: ['2018-01-02T00:00:00'],
  who: people,
  receiver: people,
  url: ['', 'u'.repeat(2048), 'u'.repeat(2049)],
  name: ['', 'n'.repeat(256), 'n'.repeat(257), 'My App'],
  price_param: [0, 1, 2, 255],
  exchange_rate: [
    { base: '1.000000 USD', quote: '1.000000 EUR' },
    { base: '0.000000 COIN', quote: '1.000000 EUR' },
  ],
  new_owner_authority: [{ weight_threshold: 0, account_auths: [], key_auths: [] }],
  active: [{ weight_threshold: 1, account_auths: [['nowhere', 1]], key_auths: [] }],
  json_metadata: ['{"a":', '[1,2] x'],
  extensions: [[]],
  is_sponsoring: [true, false],
};

/** The same for what a witness says of itself. */
const strangeProps: Readonly<Record<string, readonly Json[]>> = {
  account_creation_fee: ['0.000001 COIN', '1.000000 USD'],
  maximum_block_size: [1, 131_071, 0xffff_ffff],
  price_feeds: [[['USD', { base: '1.000000 EUR', quote: '1.000000 COIN' }]]],
  exchange_rates: [[{ base: '1.000000 EUR', quote: '1.000000 USD' }]],
};

/** Blocks can hold texts of any length, which JSON refuses where it is read. */
const unchecked = { ...encoding, readsAnswers: true };

/** The operations, now and then with something that JSON can't say or nobody would send. */
export function twisted(operations: readonly RandomOperation['operation'][], randomSource: RandomSource): Operation[] {
  if (randomSource.chance(1)) return [];
  const read = operations.map(([kind, body]) =>
    operationCodec.fromJson(
      [kind, randomSource.chance(4) ? replaced(replacedProps(body, randomSource), strange, randomSource) : body],
      unchecked,
    ),
  );
  const all = read.map((operation) => twist(operation, randomSource));
  return randomSource.chance(1)
    ? [...all, interest.of({ owner: 'alice', interest: { amount: 1n, symbol: encoding.coinSymbol } })]
    : all;
}

/** The body with one of its members replaced, where there is another value for it. */
function replaced(body: Json, values: Readonly<Record<string, readonly Json[]>>, randomSource: RandomSource): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.keys(body).filter((member) => member in values);
  if (members.length === 0) return body;
  const member = randomSource.pick(members);
  return { ...body, [member]: randomSource.pick(values[member] ?? []) };
}

function replacedProps(body: Json, randomSource: RandomSource): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { props } = body;
  return props === undefined || randomSource.chance(30)
    ? body
    : { ...body, props: replaced(props, strangeProps, randomSource) };
}

function twist(operation: Operation, randomSource: RandomSource): Operation {
  if (randomSource.chance(1)) return operation.withFee({ amount: -1n, symbol: encoding.coinSymbol });
  const withdrawal = operationBody(withdrawVesting, operation);
  if (withdrawal !== undefined && randomSource.chance(15))
    return withdrawVesting.of({
      ...withdrawal,
      vesting_shares: { amount: -BigInt(randomSource.roll(100)), symbol: encoding.vestsSymbol },
    });
  const properties = operationBody(witnessSetProperties, operation);
  if (properties !== undefined && randomSource.chance(5))
    return witnessSetProperties.of({ ...properties, props: [...properties.props, ['url', '7f']] });
  return operation;
}
