import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { Refusal } from '../../src/base/refusal.ts';
import { accountWitnessProxy } from '../../src/operations/account_witness_proxy.ts';
import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { witnessStop } from '../../src/operations/witness_stop.ts';
import { witnessUpdate } from '../../src/operations/witness_update.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { removeStoppedVotes } from '../../src/state/stopped_witnesses.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import type { Ledger } from '../builders/ledger.ts';
import { hasVote, SIGNING_KEY, witnessLedger } from '../builders/witnesses.ts';

const names = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'];
const owners = ['initminer', 'dave', 'erin'];
const fee = { amount: 0n, symbol: 'COIN' };
const name = fc.constantFrom(...names);
const props = {
  account_creation_fee: { amount: 50_000n, symbol: 'COIN' },
  maximum_block_size: 262_144,
  price_feeds: [],
};

const operations: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ fee: fc.constant(fee), account: name, proxy: fc.constantFrom('', ...names) })
      .map(accountWitnessProxy.of),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ fee: fc.constant(fee), account: name, witness: fc.constantFrom(...owners), approve: fc.boolean() })
      .map(accountWitnessVote.of),
  },
  {
    weight: 2,
    arbitrary: fc.record({ fee: fc.constant(fee), from: name, to: name, amount: amounts() }).map(transferToVesting.of),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ fee: fc.constant(fee), from: name, to: name, amount: amounts(), memo: fc.constant('') })
      .map(transfer.of),
  },
  {
    weight: 1,
    arbitrary: fc.record({ fee: fc.constant(fee), owner: fc.constantFrom('dave', 'erin') }).map(witnessStop.of),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('dave', 'erin')
      .map((owner) => witnessUpdate.of({ fee, owner, url: 'u', block_signing_key: SIGNING_KEY, props })),
  },
);

function amounts(): fc.Arbitrary<{ amount: bigint; symbol: string }> {
  return fc.bigInt({ min: 1n, max: 10n ** 8n }).map((amount) => ({ amount, symbol: 'COIN' }));
}

function applyUnlessRefused(ledger: Ledger, operation: Operation): void {
  try {
    ledger.apply(operation);
  } catch (refusal) {
    assert.ok(refusal instanceof Refusal, String(refusal));
  }
}

const FARTHEST = 4; // hops that a weight travels

/**
 * All votes counted afresh: every account's weight goes up its proxies, and counts where the account at the end votes.
 */
function countedAfresh(
  ledger: Ledger,
  rules: RuleSet,
): { votes: Record<string, bigint>; proxied: Record<string, bigint[]> } {
  const votes = Object.fromEntries(owners.map((owner) => [owner, 0n]));
  const proxied = Object.fromEntries(names.map((one) => [one, [0n, 0n, 0n, 0n]]));
  for (const one of names) {
    const { balance, vesting_shares } = ledger.account(one);
    const weight = rules === 'lineage' ? balance + vesting_shares : vesting_shares;
    let at = one;
    let hops = 0;
    for (; ledger.account(at).proxy !== '' && hops < FARTHEST; hops++) {
      at = ledger.account(at).proxy;
      const sums = proxied[at] ?? [];
      sums[hops] = (sums[hops] ?? 0n) + weight;
    }
    if (ledger.account(at).proxy !== '') continue;
    for (const owner of owners) if (hasVote(ledger, at, owner)) votes[owner] = (votes[owner] ?? 0n) + weight;
  }
  return { votes, proxied };
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`whatever happens, witnesses have the votes that a fresh count gives (${rules})`, () => {
    fc.assert(
      fc.property(fc.array(operations, { minLength: 10, maxLength: 80, size: 'max' }), (all) => {
        const ledger = witnessLedger(['dave', 'erin'], { rules });
        for (const operation of all) applyUnlessRefused(ledger, operation);
        const { votes, proxied } = countedAfresh(ledger, rules);
        // Until then votes for stopped witnesses are in their voters' own counts.
        ledger.change(removeStoppedVotes);
        for (const owner of owners) {
          const witness = ledger.rows.get(witnesses, owner);
          if (witness !== undefined) assert.equal(witness.votes, votes[owner], owner);
        }
        for (const one of names) {
          assert.deepEqual(ledger.account(one).proxied_vsf_votes, proxied[one], one);
          assert.equal(
            ledger.account(one).witnesses_voted_for,
            owners.filter((owner) => hasVote(ledger, one, owner)).length,
            one,
          );
        }
      }),
      { numRuns: 60 },
    );
  });
}
