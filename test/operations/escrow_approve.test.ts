import assert from 'node:assert/strict';
import { test } from 'node:test';

import { escrowApprove } from '../../src/operations/escrow_approve.ts';
import { approvedEscrow, changeEscrow, DEADLINE, findEscrow, parties, proposedEscrow } from '../builders/escrow.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger } from '../builders/ledger.ts';

const good = { ...parties, who: 'bob', approve: true };

testRefusals({
  kind: escrowApprove,
  build: proposedEscrow,
  good,
  faults: [
    { code: 'approver_no_party', text: 'to or agent must approve escrow', body: { who: 'alice' } },
    { code: 'unknown_key', text: 'unknown key', body: { escrow_id: 8 }, alone: true },
    {
      code: 'escrow_to_differs',
      text: "Operation 'to' (dave) does not match escrow 'to' (bob).",
      body: { to: 'dave', who: 'dave' },
    },
    {
      code: 'escrow_agent_differs',
      text: "Operation 'agent' (${a}) does not match escrow 'agent' (agent).",
      body: { agent: 'dave', who: 'dave' },
    },
    {
      code: 'ratification_over',
      text: 'The escrow ratification deadline has passed-> Escrow can no longer be ratified->',
      given: (ledger) => ledger.moveTime(DEADLINE),
    },
    {
      code: 'to_approved_already',
      text: "Account 'to' (bob) has already approved the escrow.",
      given: (ledger) => changeEscrow(ledger, { to_approved: true }),
      alone: true,
    },
    {
      code: 'agent_approved_already',
      text: "Account 'agent' (agent) has already approved the escrow.",
      body: { who: 'agent' },
      given: (ledger) => changeEscrow(ledger, { agent_approved: true }),
      alone: true,
    },
  ],
});

test('one approval moves no coins, the second pays the agent', () => {
  const ledger = proposedEscrow();
  ledger.apply(escrowApprove.of({ ...good, who: 'agent' }));
  assert.equal(ledger.account('agent').balance, FUNDS);
  ledger.apply(escrowApprove.of(good));
  assert.equal(ledger.account('agent').balance, FUNDS + 100_000n);
  assert.equal(ledger.account('bob').balance, FUNDS);
  const { pending_fee, coin_balance, to_approved, agent_approved } =
    findEscrow(ledger) ?? assert.fail('the escrow is gone');
  assert.deepEqual(
    { pending_fee, coin_balance, to_approved, agent_approved },
    { pending_fee: 0n, coin_balance: 5_000_000n, to_approved: true, agent_approved: true },
  );
});

test('behind the deadline it is over, approved or not', () => {
  const ledger = approvedEscrow();
  ledger.moveTime(DEADLINE + 1);
  const text = 'The escrow ratification deadline has passed-> Escrow can no longer be ratified->';
  for (const who of ['bob', 'agent'])
    assertRefused(ledger, escrowApprove.of({ ...good, who }), { code: 'ratification_over', text });
});

test('the escrow can be approved before the deadline, not at it', () => {
  const ledger = proposedEscrow();
  ledger.moveTime(DEADLINE - 1);
  ledger.apply(escrowApprove.of(good));
  assert.equal(findEscrow(ledger)?.to_approved, true);
});

for (const who of ['bob', 'agent']) {
  test(`a rejection by ${who} gives the sender everything back`, () => {
    const ledger = proposedEscrow();
    ledger.apply(escrowApprove.of({ ...good, who, approve: false }));
    assert.equal(ledger.account('alice').balance, FUNDS);
    assert.equal(findEscrow(ledger), undefined);
  });

  test(`${who} cannot take an approval back`, () => {
    const text =
      who === 'bob'
        ? "Account 'to' (bob) has already approved the escrow."
        : "Account 'agent' (agent) has already approved the escrow.";
    const code = who === 'bob' ? 'to_approved_already' : 'agent_approved_already';
    assertRefused(approvedEscrow(), escrowApprove.of({ ...good, who, approve: false }), { code, text });
  });
}

test('escrows are not available in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, escrowApprove.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});
