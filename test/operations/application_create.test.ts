import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shownJson } from '../../src/codec/decode_error.ts';
import { applicationCreate } from '../../src/operations/application_create.ts';
import { applications } from '../../src/state/tables/application.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const good = {
  fee: { amount: 10_000n, symbol: 'COIN' },
  author: 'alice',
  name: 'app-one',
  url: 'https://app.example',
  metadata: 'anything',
  price_param: 1,
};

const notKept = (given: string, position: number, found: string): string =>
  `the name ${given} would not come back unchanged: character ${position} is ${found}, and names of applications have at most 32 characters of A-Z a-z 0-9 - _, the last of them no A`;
const taken = { code: 'uniqueness', text: 'could not insert object, most likely a uniqueness constraint was violated' };

testRefusals({
  kind: applicationCreate,
  build: () => new Ledger(),
  good,
  faults: [
    { code: 'name_too_long', text: 'Name is too long', body: { name: 'n'.repeat(257) } },
    { code: 'name_empty', text: 'Name size must be greater than 0', body: { name: '' } },
    { code: 'name_not_utf8', text: 'Name is not valid UTF8', body: { name: 'n\udcff' } },
    {
      code: 'name_all_zero',
      text: 'the name AAA stands for nothing but zero bytes; choose another',
      body: { name: 'AAA' },
    },
    { code: 'name_not_kept', text: notKept('"my shop"', 3, '" "'), body: { name: 'my shop' } },
    { code: 'url_too_long', text: 'URL is too long', body: { url: 'u'.repeat(2049) } },
    { code: 'url_empty', text: 'URL size must be greater than 0', body: { url: '' } },
    { code: 'url_not_utf8', text: 'URL is not valid UTF8', body: { url: 'u\udcff' } },
    { code: 'metadata_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { metadata: '\udcff' } },
    { code: 'price_param_undefined', text: 'Undefined price param', body: { price_param: 2 } },
    { code: 'unknown_key', text: 'unknown key', body: { author: 'nobody' } },
    { ...taken, given: (ledger) => ledger.apply(applicationCreate.of({ ...good, author: 'bob' })) },
  ],
});

test('in the lineage an application is known by the 24 bytes that its name stands for', () => {
  const ledger = new Ledger({ rules: 'lineage' });
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

test('a name that would not come back unchanged is refused with its character, and narrowed in the lineage only', () => {
  const cases: readonly (readonly [name: string, position: number, stored: string])[] = [
    ['my shop', 3, 'mw'],
    ['Ünicode', 1, ''],
    ['a.b', 2, ''],
    ['a+b', 2, 'a-b'],
    ['a/b', 2, 'a_b'],
    ['abcA', 4, 'abc'],
    ['abcAA', 4, 'abc'],
    ['nul\0', 4, 'nuk'],
    ['shop=', 5, 'shop'],
    ['\u202eshop', 1, ''],
    ['sho\u{1f6d2}', 4, 'sho'],
    ['x'.repeat(33), 33, 'x'.repeat(32)],
  ];
  for (const [name, position, stored] of cases) {
    const ledger = new Ledger();
    const found = shownJson([...name.slice(position - 1)][0]);
    assertRefused(ledger, applicationCreate.of({ ...good, name }), {
      code: 'name_not_kept',
      text: notKept(shownJson(name), position, found),
    });
    const lineage = new Ledger({ rules: 'lineage' });
    lineage.apply(applicationCreate.of({ ...good, name }));
    assert.notEqual(lineage.rows.get(applications, stored), undefined, name);
  }
});

test('every name of 1 to 32 characters that comes back unchanged is taken', () => {
  for (const name of ['-', '_', '0', 'Ab', 'x'.repeat(32), 'A-_z', 'my-shop_1']) {
    const ledger = new Ledger();
    ledger.apply(applicationCreate.of({ ...good, name }));
    assert.equal(ledger.rows.get(applications, name)?.name, name);
  }
});

test('in the lineage a name counts as one of 24 bytes however long it is', () => {
  const ledger = new Ledger({ rules: 'lineage' });
  ledger.apply(applicationCreate.of({ ...good, name: 'x'.repeat(256) }));
  assert.notEqual(ledger.rows.get(applications, 'x'.repeat(32)), undefined);
});

test('bounds are counted in bytes', () => {
  const ledger = new Ledger({ rules: 'lineage' });
  ledger.apply(applicationCreate.of({ ...good, name: 'a'.repeat(254) + 'é', url: 'é'.repeat(1024), metadata: '' }));
  assertRefused(ledger, applicationCreate.of({ ...good, name: 'a'.repeat(255) + 'é' }), {
    code: 'name_too_long',
    text: 'Name is too long',
  });
  assertRefused(ledger, applicationCreate.of({ ...good, url: 'é'.repeat(1024) + 'u' }), {
    code: 'url_too_long',
    text: 'URL is too long',
  });
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
