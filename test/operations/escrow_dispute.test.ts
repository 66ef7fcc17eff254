import assert from 'node:assert/strict';
import { test } from 'node:test';

import { escrowDispute } from '../../src/operations/escrow_dispute.ts';
import { approvedEscrow, changeEscrow, findEscrow, EXPIRATION, parties } from '../builders/escrow.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const good = { ...parties, who: 'bob' };

testRefusals({
  kind: escrowDispute,
  build: approvedEscrow,
  good,
  faults: [
    { code: 'disputer_no_party', text: 'who must be from or to', body: { who: 'agent' } },
    { code: 'unknown_key', text: 'unknown key', body: { from: 'nobody' } },
    { code: 'unknown_key', text: 'unknown key', body: { escrow_id: 8 } },
    {
      code: 'dispute_too_late',
      text: 'Disputing the escrow must happen before expiration.',
      given: (ledger) => ledger.moveTime(EXPIRATION),
    },
    {
      code: 'escrow_not_approved',
      text: 'The escrow must be approved by all parties before a dispute can be raised.',
      given: (ledger) => changeEscrow(ledger, { agent_approved: false }),
    },
    {
      code: 'disputed_already',
      text: 'The escrow is already under dispute.',
      given: (ledger) => changeEscrow(ledger, { disputed: true }),
    },
    {
      code: 'escrow_to_differs',
      text: "Operation 'to' (dave) does not match escrow 'to' (bob).",
      body: { to: 'dave', who: 'dave' },
    },
    {
      code: 'escrow_agent_differs',
      text: "Operation 'agent' (${a}) does not match escrow 'agent' (agent).",
      body: { agent: 'dave' },
    },
  ],
});

for (const who of ['alice', 'bob']) {
  test(`${who} can raise a dispute up to the last second`, () => {
    const ledger = approvedEscrow();
    ledger.moveTime(EXPIRATION - 1);
    ledger.apply(escrowDispute.of({ ...good, who }));
    assert.equal(findEscrow(ledger)?.disputed, true);
  });
}

test('escrows are not available in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, escrowDispute.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});
