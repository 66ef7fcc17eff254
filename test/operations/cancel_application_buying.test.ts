import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applicationCreate } from '../../src/operations/application_create.ts';
import { buyApplication } from '../../src/operations/buy_application.ts';
import { cancelApplicationBuying } from '../../src/operations/cancel_application_buying.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const fee = { amount: 10_000n, symbol: 'COIN' };
const good = { fee, app_owner: 'alice', buyer: 'bob', app_id: 0n };

function build(): Ledger {
  const ledger = new Ledger();
  ledger.apply(applicationCreate.of({ fee, author: 'alice', name: 'app', url: 'u', metadata: '', price_param: 0 }));
  for (const buyer of ['bob', 'carol']) ledger.apply(buyApplication.of({ fee, buyer, app_id: 0n }));
  return ledger;
}

testRefusals({
  kind: cancelApplicationBuying,
  build,
  good,
  faults: [
    { code: 'unknown_key', text: 'unknown key', body: { app_id: 1n } },
    { code: 'unknown_key', text: 'unknown key', body: { buyer: 'alice' } },
    { code: 'not_author', text: 'Provided app author is not this applcation author', body: { app_owner: 'bob' } },
  ],
});

test('one buying goes, the others stay, and it can be bought again', () => {
  const ledger = build();
  ledger.apply(cancelApplicationBuying.of(good));
  const buyers = (): string[] =>
    ledger.rows.range(applicationBuyings.by_app_id, { limit: 10 }).map(({ buyer }) => buyer);
  assert.deepEqual(buyers(), ['carol']);
  ledger.apply(buyApplication.of({ fee, buyer: 'bob', app_id: 0n }));
  assert.deepEqual(buyers(), ['carol', 'bob']);
});

test('there are no buyings in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, cancelApplicationBuying.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});
