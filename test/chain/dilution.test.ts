import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Chain } from '../../src/chain/chain.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { owedShares } from '../../src/state/dilution_protection.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { economicModel, FIRST_PROTECTION_INDEX } from '../../src/state/tables/economic_model.ts';
import { protectionMarks } from '../../src/state/tables/protection_mark.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { readBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import { assertSound, openChain, people, produce, testParameters, makeTransaction } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { isLong } from '../builders/forms.ts';

const HOUR = 3600;
const ROUNDS = isLong ? 25 : 8;
const free = '0.000000 COIN';

const hourly = (percent: number): ChainParameters =>
  testParameters({
    block_interval: HOUR,
    dilution_protection_percent: percent,
    coinbase_years: 1,
    vesting_withdraw_intervals: 2,
    vesting_withdraw_interval_seconds: HOUR,
    max_allowed_ops: 100_000,
    max_allowed_bandwidth: 100_000_000,
  });

/** Random vestings, withdrawals, burns and withdrawals from the promotion pool in so many blocks. */
function live(chain: Chain, parameters: ChainParameters, randomSource: RandomSource, blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    for (let sent = randomSource.roll(3); sent > 0; sent--) {
      const from = randomSource.pick(people);
      const amount = `${1 + randomSource.roll(500_000)}.${String(randomSource.roll(1_000_000)).padStart(6, '0')}`;
      const { vesting_shares } = chain.committed.get(accounts, from) ?? assert.fail();
      const made = randomSource.pick([
        [
          'transfer_to_vesting',
          { fee: free, from, to: randomSource.pick([...people, 'none']), amount: `${amount} COIN` },
        ],
        [
          'withdraw_vesting',
          { fee: free, account: from, vesting_shares: `${vesting_shares / 2_000_000n}.000000 VESTS` },
        ],
        ['transfer_from_promotion_pool', { fee: free, transfer_to: from, amount: `${amount} COIN`, extensions: [] }],
      ]);
      const signer = made[0] === 'transfer_from_promotion_pool' ? 'initminer' : from;
      try {
        chain.accept(makeTransaction(chain, parameters, [made], [signer], { expiration: chain.head.time + HOUR }));
      } catch {
        // Whoever has nothing left is refused.
      }
    }
    produce(chain);
  }
}

test('vesting shares grow with what is issued; sums, undo records, restart and verify know of it', () => {
  const parameters = hourly(90);
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  for (let round = 0; round < ROUNDS; round++) {
    live(chain, parameters, new RandomSource(round), 50);
    assertSound(chain, parameters, store);
  }
  const { protection_index, protection_issued } = chain.committed.only(economicModel);
  assert(protection_index > FIRST_PROTECTION_INDEX && protection_issued > 0n);
  assert(
    people.some(
      (name) => owedShares(chain.committed, parameters, chain.committed.get(accounts, name) ?? assert.fail()) > 0n,
    ),
  );
  assert.deepEqual(verifyStore(store, parameters, () => {}).problems, []);
  assert.equal(openChain(parameters, store).head.stateHash, chain.head.stateHash);

  const other = openChain(parameters);
  const hashes: string[] = [];
  for (let number = 1; number <= chain.head.number; number++) {
    other.push(verifyBlock(parameters.chainId, readBlock(chain.block(number)?.packed ?? assert.fail())));
    hashes.push(other.head.stateHash);
  }
  assert.equal(other.head.stateHash, chain.head.stateHash, 'another node comes to the same state');
  const { lastIrreversible } = other.head;
  while (other.head.number > lastIrreversible) {
    other.undo();
    assert.equal(other.head.stateHash, hashes[other.head.number - 1], `the state behind block ${other.head.number}`);
  }
});

test('with a percentage of 0 the state is, row by row, that of a chain without the rule', () => {
  const off = hourly(0);
  const without = { ...hourly(90), chainId: off.chainId, rules: { ...off.rules, dilution_protection: false } };
  const chains = [off, without].map((parameters) => ({ parameters, chain: openChain(parameters) }));
  for (const { chain, parameters } of chains) live(chain, parameters, new RandomSource(5), 25 * ROUNDS);
  const [one, two] = chains.map(({ chain }) => chain);
  assert.equal(one?.head.stateHash, two?.head.stateHash);
  assert.deepEqual(one?.committed.rows(protectionMarks, { limit: 10 }), []);
});
