import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { unlessRefused } from '../../src/base/refusal.ts';
import { accountWitnessProxy } from '../../src/operations/account_witness_proxy.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { finishVotes } from '../../src/state/votes.ts';
import { witnesses, type Witness } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Ledger } from '../builders/ledger.ts';
import { endow, vote, witnessLedger, getWitness } from '../builders/witnesses.ts';

const owners = ['carol', 'dave'];
const names = ['alice', 'bob', 'carol'];
const name = fc.constantFrom(...names);
const amount = fc.bigInt({ min: 1n, max: 10n ** 6n }).map((millionths) => ({ amount: millionths, symbol: 'COIN' }));
const fee = fc.constant({ amount: 0n, symbol: 'COIN' });
const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ fee, from: name, to: name, amount, memo: fc.constant('') }).map(transfer.of),
  fc.record({ fee, from: name, to: name, amount }).map(transferToVesting.of),
  fc.record({ fee, account: name, proxy: fc.constantFrom('', ...names) }).map(accountWitnessProxy.of),
);

/** A ledger in the middle of virtual time, where all vote for both witnesses. */
function build(): Ledger {
  const ledger = witnessLedger(owners, { rules: 'lineage' });
  for (const voter of names) {
    endow(ledger, voter, 1_000_000n);
    for (const owner of owners) vote(ledger, voter, owner);
  }
  moveTime(ledger, 10n ** 27n);
  return ledger;
}

function moveTime(ledger: Ledger, current_virtual_time: bigint): void {
  ledger.change(({ rows }) => rows.put(witnessSchedule, { ...rows.only(witnessSchedule), current_virtual_time }));
}

/**
 * Applies the operations as those of one transaction, refused ones left out; `isStepwise` moves witnesses behind each
 * of them.
 */
function applied(some: readonly Operation[], isStepwise: boolean): Witness[] {
  const ledger = build();
  if (isStepwise) for (const operation of some) unlessRefused(() => ledger.apply(operation));
  else
    ledger.change((state) => {
      for (const operation of some)
        unlessRefused(() => (operation.validate(ledger.parameters), operation.apply(state)));
    });
  return owners.map((owner) => getWitness(ledger, owner));
}

test('witnesses come to the same place whether each change moves them or all changes of a transaction together', () => {
  fc.assert(
    fc.property(fc.array(operations, { minLength: 1, maxLength: 12 }), (some) => {
      assert.deepEqual(applied(some, false), applied(some, true));
    }),
    { numRuns: 60 },
  );
});

test('however often a transaction changes what a voter holds, the row of a witness is written once', () => {
  const ledger = build();
  const before = getWitness(ledger, 'carol');
  ledger.change((state) => {
    for (let turn = 0; turn < 10; turn++)
      transfer.of({ fee: ledger.coins(0n), from: 'alice', to: 'bob', amount: ledger.coins(1n), memo: '' }).apply(state);
    assert.equal(state.rows.get(witnesses, 'carol'), before);
    finishVotes(state);
    assert.notEqual(state.rows.get(witnesses, 'carol'), before);
  });
});
