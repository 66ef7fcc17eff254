import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applicationCreate } from '../../src/operations/application_create.ts';
import { buyApplication } from '../../src/operations/buy_application.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger, START } from '../builders/ledger.ts';

const fee = { amount: 10_000n, symbol: 'COIN' };
const good = { fee, buyer: 'bob', app_id: 1n };

function build(): Ledger {
  const ledger = new Ledger();
  for (const name of ['one', 'two'])
    ledger.apply(applicationCreate.of({ fee, author: 'alice', name, url: 'u', metadata: '', price_param: 0 }));
  return ledger;
}

testRefusals({
  kind: buyApplication,
  build,
  good,
  faults: [
    { code: 'unknown_key', text: 'unknown key', body: { app_id: 2n } },
    { code: 'unknown_key', text: 'unknown key', body: { app_id: -1n } },
    {
      code: 'bought_already',
      text: 'This buying already exisit',
      given: (ledger) => ledger.apply(buyApplication.of(good)),
    },
  ],
});

test('a buying notes who bought what and when, and moves no coins', () => {
  const ledger = build();
  ledger.moveTime(50);
  ledger.apply(buyApplication.of(good));
  assert.deepEqual(ledger.rows.get(applicationBuyings, { buyer: 'bob', app_id: 1n }), {
    id: 0n,
    buyer: 'bob',
    app_id: 1n,
    created: START + 50,
  });
  assert.equal(ledger.account('bob').balance, FUNDS);
  assert.equal(ledger.account('alice').balance, FUNDS);
});

test('an author may buy too, and an account several applications', () => {
  const ledger = build();
  for (const buyer of ['alice', 'bob'])
    for (const app_id of [0n, 1n]) ledger.apply(buyApplication.of({ fee, buyer, app_id }));
  assert.equal(ledger.rows.range(applicationBuyings.by_app_id, { limit: 10 }).length, 4);
});

test('applications cannot be bought in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, buyApplication.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});
