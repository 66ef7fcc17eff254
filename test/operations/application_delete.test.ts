import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applicationCreate } from '../../src/operations/application_create.ts';
import { applicationDelete } from '../../src/operations/application_delete.ts';
import { buyApplication } from '../../src/operations/buy_application.ts';
import { removeDeletedBuyings } from '../../src/state/deleted_applications.ts';
import { applications } from '../../src/state/tables/application.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { deletedApplications } from '../../src/state/tables/deleted_application.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const NOT_KEPT =
  'the name "my shop" would not come back unchanged: character 3 is " ", and names of applications have at most 32 characters of A-Z a-z 0-9 - _, the last of them no A';
const fee = { amount: 10_000n, symbol: 'COIN' };
const good = { fee, author: 'alice', name: 'app' };

function build(): Ledger {
  const ledger = new Ledger();
  for (const name of ['app', 'other'])
    ledger.apply(applicationCreate.of({ ...good, name, url: 'u', metadata: '', price_param: 0 }));
  return ledger;
}

testRefusals({
  kind: applicationDelete,
  build,
  good,
  faults: [
    { code: 'name_too_long', text: 'Name is too long', body: { name: 'n'.repeat(257) } },
    { code: 'name_empty', text: 'Name size must be greater than 0', body: { name: '' } },
    { code: 'name_not_utf8', text: 'Name is not valid UTF8', body: { name: 'n\udcff' } },
    {
      code: 'name_all_zero',
      text: 'the name A stands for nothing but zero bytes; choose another',
      body: { name: 'A' },
    },
    { code: 'name_not_kept', text: NOT_KEPT, body: { name: 'my shop' } },
    { code: 'unknown_key', text: 'unknown key', body: { name: 'unknown' } },
    { code: 'not_author', text: 'Provided author is not this applcation author', body: { author: 'bob' } },
  ],
});

test('an application takes all its buyings along, however many, and no others', () => {
  const ledger = build();
  const buyers = Array.from({ length: 600 }, (_, index) => `buyer${index}`);
  ledger.change(({ rows }) => {
    for (const buyer of buyers)
      rows.append(applicationBuyings, { id: rows.nextId(applicationBuyings), buyer, app_id: 0n, created: 0 });
  });
  ledger.apply(buyApplication.of({ fee, buyer: 'bob', app_id: 1n }));
  ledger.apply(applicationDelete.of(good));
  assert.equal(ledger.rows.get(applications, 'app'), undefined);
  const left = (): string[] =>
    ledger.rows.range(applicationBuyings.by_app_id, { limit: 1000 }).map(({ buyer }) => buyer);
  assert.equal(left().length, 601, 'they are left to later blocks');
  ledger.change(removeDeletedBuyings);
  assert.equal(left().length, 501, 'each of which removes some');
  for (let block = 0; block < 6; block++) ledger.change(removeDeletedBuyings);
  assert.deepEqual(left(), ['bob']);
  assert.equal(ledger.rows.get(deletedApplications, 0n), undefined);
});

test('a name that was deleted is free again, under another id', () => {
  const ledger = build();
  ledger.apply(applicationDelete.of(good));
  ledger.apply(applicationCreate.of({ ...good, author: 'bob', url: 'u', metadata: '', price_param: 0 }));
  assert.equal(ledger.rows.get(applications, 'app')?.id, 2n);
});
