import { quickSignature } from './quick_signature.ts';
import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import type { PackedBlock, VerifiedBlock } from '../../src/blocks/block.ts';
import { readBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { testKeyText, openChain, produce, testSecret, testParameters, makeTransaction } from './chain.ts';

/** The witnesses of these chains, two on each side of a partition, so that neither side makes a block irreversible. */
export const HERE = ['initminer', 'alice'] as const;
export const THERE = ['bob', 'carol'] as const;

/**
 * Parameters of a chain with rounds of these four, where blocks become final by confirmations from the first one on.
 */
export function partedParameters(overrides: Readonly<Record<string, Json>> = {}): ChainParameters {
  const round = { max_witnesses: 4, max_voted_witnesses: 4, max_runner_witnesses: 0 };
  const free = { initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 };
  return testParameters({ ...round, ...free, confirmations_from_block: 1, ...overrides });
}

export interface Parted {
  readonly parameters: ChainParameters;
  readonly here: Chain;
  readonly there: Chain;
  readonly store: KeyValueStore;
}

/** Two nodes with the same blocks; the store belongs to the first. */
export function partedChains(
  parameters = partedParameters(),
  store: KeyValueStore = new MemoryStore(),
  owners: readonly string[] = ['alice', ...THERE],
): Parted {
  const [here, there] = [openChain(parameters, store), openChain(parameters)];
  there.push(copyBlock(parameters, produce(here)));
  for (const owner of owners) here.accept(makeTransaction(here, parameters, [witnessUpdate(owner, owner)], [owner]));
  do there.push(copyBlock(parameters, produce(here)));
  while (scheduledNames(here.committed.only(witnessSchedule)).length <= owners.length);
  for (let number = 0; number < 8; number++) there.push(copyBlock(parameters, produce(here)));
  assert.equal(here.head.id, there.head.id);
  return { parameters, here, there, store };
}

/** A witness changes its signing key to the one derived from a name. */
export function witnessUpdate(owner: string, keyName: string, maximum_block_size = 131_072): Json {
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size, price_feeds: [] };
  return ['witness_update', { fee: '0.000000 COIN', owner, url: 'u', block_signing_key: testKeyText(keyName), props }];
}

/**
 * Blocks of a side, each in the next slot of one of its witnesses; `keyNames` says with whose key a witness signs, its
 * own by default.
 */
export function growSide(
  chain: Chain,
  witnesses: readonly string[],
  count: number,
  keyNames: Readonly<Record<string, string>> = {},
): VerifiedBlock[] {
  return Array.from({ length: count }, () => {
    const scheduled = nextSlot(chain, witnesses);
    const secret = testSecret(keyNames[scheduled.witness] ?? scheduled.witness);
    return chain.seal({ ...scheduled, sign: (digest) => quickSignature(digest, secret) });
  });
}

/** The next slot of one of these witnesses. */
export function nextSlot(
  chain: Chain,
  witnesses: readonly string[],
  from = 1,
): { readonly witness: string; readonly timestamp: number } {
  for (let slot = from; slot < from + 100; slot++) {
    const scheduled = present(chain.findProductionSlot(chain.slotTime(slot)), 'a slot');
    if (witnesses.includes(scheduled.witness)) return scheduled;
  }
  return assert.fail('none of them has a slot');
}

/** A block as it arrives from a peer. */
export function copyBlock({ chainId }: ChainParameters, { packed }: PackedBlock): VerifiedBlock {
  return verifyBlock(chainId, readBlock(packed));
}
