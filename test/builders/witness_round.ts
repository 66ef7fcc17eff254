import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import { testKey, testKeyText, openChain, produce, testParameters, makeTransaction } from './chain.ts';
import type { Producer } from '../../src/witness/produce.ts';

/** A chain whose rounds of two slots belong to initminer and alice. */
export function chainOfTwoWitnesses(): Chain {
  const round = { max_witnesses: 2, max_voted_witnesses: 2, max_runner_witnesses: 0 };
  const parameters = testParameters({
    ...round,
    initial_witness_req_vesting_balance: 0,
    final_witness_req_vesting_balance: 0,
  });
  const chain = openChain(parameters);
  produce(chain);
  const props: Json = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
  const body = { fee: '0.000000 COIN', owner: 'alice', url: 'u', block_signing_key: testKeyText('alice'), props };
  chain.accept(makeTransaction(chain, parameters, [['witness_update', body]], ['alice']));
  do produce(chain);
  while (scheduledNames(chain.committed.only(witnessSchedule)).length < 2);
  return chain;
}

/** A node that produces for these witnesses and has the keys of `keys`. */
export function makeProducer(witnesses: readonly string[], keys: readonly string[] = witnesses): Producer {
  return {
    witnesses: new Set(witnesses),
    keys: new Set(keys.map((name) => testKey(name))),
    requiredParticipation: 0,
  };
}
