import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applicationCreate } from '../../src/operations/application_create.ts';
import { applications } from '../../src/state/tables/application.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const good = {
  fee: { amount: 10_000n, symbol: 'COIN' },
  author: 'alice',
  name: 'app one',
  url: 'https://app.example',
  metadata: 'anything',
  price_param: 1,
};

const taken = { code: 'uniqueness', text: 'could not insert object, most likely a uniqueness constraint was violated' };

testRefusals({
  kind: applicationCreate,
  build: () => new Ledger(),
  good,
  faults: [
    { code: 'name_too_long', text: 'Name is too long', body: { name: 'n'.repeat(257) } },
    { code: 'name_empty', text: 'Name size must be greater than 0', body: { name: '' } },
    { code: 'name_not_utf8', text: 'Name is not valid UTF8', body: { name: 'n\udcff' } },
    { code: 'name_all_zero', text: 'the name AAA stands for nothing but zero bytes; choose another', body: { name: 'AAA' } },
    { code: 'url_too_long', text: 'URL is too long', body: { url: 'u'.repeat(2049) } },
    { code: 'url_empty', text: 'URL size must be greater than 0', body: { url: '' } },
    { code: 'url_not_utf8', text: 'URL is not valid UTF8', body: { url: 'u\udcff' } },
    { code: 'metadata_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { metadata: '\udcff' } },
    { code: 'price_param_undefined', text: 'Undefined price param', body: { price_param: 2 } },
    { code: 'unknown_key', text: 'unknown key', body: { author: 'nobody' } },
    { ...taken, given: (ledger) => ledger.apply(applicationCreate.of({ ...good, author: 'bob' })) },
  ],
});

test('an application is known by the 24 bytes that its name stands for', () => {
  const ledger = new Ledger();
  ledger.apply(applicationCreate.of({ ...good, name: 'my app' }));
  assert.deepEqual(ledger.rows.get(applications, 'mw'), {
    id: 0n,
    name: 'mw',
    author: 'alice',
    author_place: 0n,
    url: 'https://app.example',
    metadata: 'anything',
    price_param: 1,
  });
  assertRefused(ledger, applicationCreate.of({ ...good, name: 'mw' }), taken);
});

test('a name counts as one of 24 bytes however long it is', () => {
  const ledger = new Ledger();
  ledger.apply(applicationCreate.of({ ...good, name: 'x'.repeat(256) }));
  assert.notEqual(ledger.rows.get(applications, 'x'.repeat(32)), undefined);
});

test('bounds are counted in bytes', () => {
  const ledger = new Ledger();
  ledger.apply(applicationCreate.of({ ...good, name: 'a'.repeat(254) + 'é', url: 'é'.repeat(1024), metadata: '' }));
  assertRefused(ledger, applicationCreate.of({ ...good, name: 'a'.repeat(255) + 'é' }), {
    code: 'name_too_long',
    text: 'Name is too long',
  });
  assertRefused(ledger, applicationCreate.of({ ...good, url: 'é'.repeat(1024) + 'u' }), { code: 'url_too_long', text: 'URL is too long' });
});

test('ids count up, and a refused creation takes none', () => {
  const ledger = new Ledger();
  ledger.apply(applicationCreate.of({ ...good, name: 'one' }));
  assertRefused(ledger, applicationCreate.of({ ...good, name: 'one' }), taken);
  ledger.apply(applicationCreate.of({ ...good, name: 'two', price_param: 0 }));
  assert.equal(ledger.rows.get(applications, 'two')?.id, 1n);
});

test('applications can be created in private nets', () => {
  new Ledger({ isPrivateNet: true }).apply(applicationCreate.of(good));
});
