import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applicationCreate } from '../../src/operations/application_create.ts';
import { applicationUpdate } from '../../src/operations/application_update.ts';
import { applications } from '../../src/state/tables/application.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const NOT_KEPT =
  'the name "my shop" would not come back unchanged: character 3 is " ", and names of applications have at most 32 characters of A-Z a-z 0-9 - _, the last of them no A';
const fee = { amount: 10_000n, symbol: 'COIN' };
const before = { name: 'app', author: 'alice', url: 'https://old.example', metadata: 'old', price_param: 0 };

function build(): Ledger {
  const ledger = new Ledger();
  ledger.apply(applicationCreate.of({ fee, ...before }));
  return ledger;
}

const good = {
  fee,
  author: 'alice',
  new_author: undefined,
  name: 'app',
  url: 'https://new.example',
  metadata: '',
  price_param: undefined,
};

testRefusals({
  kind: applicationUpdate,
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
    { code: 'url_too_long', text: 'URL is too long', body: { url: 'u'.repeat(2049) } },
    { code: 'url_empty', text: 'URL size must be greater than 0', body: { url: '' } },
    { code: 'url_not_utf8', text: 'URL is not valid UTF8', body: { url: 'u\udcff' } },
    { code: 'metadata_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { metadata: '\udcff' } },
    { code: 'price_param_undefined', text: 'Undefined price param', body: { price_param: 2 } },
    { code: 'unknown_key', text: 'unknown key', body: { name: 'other' } },
    { code: 'unknown_key', text: 'unknown key', body: { new_author: 'nobody' } },
    { code: 'not_author', text: 'Provided author is not this application author', body: { author: 'bob' } },
  ],
});

test('what is left out or empty stays as it is', () => {
  const ledger = build();
  ledger.apply(applicationUpdate.of(good));
  assert.deepEqual(ledger.rows.get(applications, 'app'), {
    id: 0n,
    ...before,
    author_place: 0n,
    url: 'https://new.example',
  });
});

test('everything but the name can change, and the author with it', () => {
  const ledger = build();
  ledger.apply(applicationUpdate.of({ ...good, new_author: 'bob', metadata: '{}', price_param: 1 }));
  assert.deepEqual(ledger.rows.get(applications, 'app'), {
    id: 0n,
    name: 'app',
    author: 'bob',
    author_place: 0n,
    url: 'https://new.example',
    metadata: '{}',
    price_param: 1,
  });
});
