import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adminWitnessUpdate } from '../../src/operations/admin_witness_update.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { assertRefused } from '../builders/faults.ts';
import { Ledger, START, testKey } from '../builders/ledger.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const good = {
  fee: coins(0n),
  owner: 'alice',
  url: 'https://witness.example',
  block_signing_key: testKey(7),
  props: { account_creation_fee: coins(70_000n), maximum_block_size: 262_144, price_feeds: [] },
};
const feed = [['USD', { base: { amount: 1n, symbol: 'USD' }, quote: coins(5n) }]] as const;

test('it is refused outside private nets', () => {
  assertRefused(new Ledger(), adminWitnessUpdate.of(good), {
    code: 'in_private_nets_only',
    text: 'this operation can be used only in private nets',
  });
});

test('a URL that is no valid UTF-8 appoints a witness in the lineage only', () => {
  const named = adminWitnessUpdate.of({ ...good, url: 'z\udcff' });
  assertRefused(new Ledger({ isPrivateNet: true }), named, { code: 'url_not_utf8', text: 'URL is not valid UTF8' });
  const lineage = new Ledger({ isPrivateNet: true, rules: 'lineage' });
  lineage.apply(named);
  assert.equal(lineage.rows.get(witnesses, 'alice')?.url, 'z\udcff');
});

test('a new witness gets what the update says, prices apart', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  ledger.moveTime(5);
  ledger.apply(adminWitnessUpdate.of({ ...good, props: { ...good.props, price_feeds: feed } }));
  const {
    created,
    url,
    signing_key,
    account_creation_fee,
    maximum_block_size,
    submitted_exchange_rates,
    votes,
    stopped,
  } = ledger.rows.get(witnesses, 'alice') ?? assert.fail('there is no witness');
  assert.deepEqual(
    { created, url, signing_key, account_creation_fee, maximum_block_size, submitted_exchange_rates, votes, stopped },
    {
      created: START + 5,
      url: 'https://witness.example',
      signing_key: testKey(7),
      account_creation_fee: coins(70_000n),
      maximum_block_size: 262_144,
      submitted_exchange_rates: [],
      votes: 0n,
      stopped: false,
    },
  );
});

test('a witness that is there is changed, and loses its creation fee', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  ledger.apply(adminWitnessUpdate.of(good));
  const before = ledger.rows.get(witnesses, 'alice');
  ledger.moveTime(5);
  ledger.apply(
    adminWitnessUpdate.of({
      ...good,
      url: '',
      block_signing_key: testKey(8),
      props: { ...good.props, maximum_block_size: 1, price_feeds: feed },
    }),
  );
  assert.deepEqual(ledger.rows.get(witnesses, 'alice'), {
    ...before,
    url: '',
    signing_key: testKey(8),
    account_creation_fee: coins(0n),
    maximum_block_size: 1,
  });
});

test('the null key stops a witness that is there', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  ledger.apply(adminWitnessUpdate.of(good));
  ledger.apply(adminWitnessUpdate.of({ ...good, block_signing_key: NULL_KEY }));
  assert.equal(ledger.rows.get(witnesses, 'alice')?.signing_key, NULL_KEY);
  assert.equal(ledger.rows.get(witnesses, 'alice')?.stopped, true);
});

test('a witness needs no account of its name', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  ledger.apply(adminWitnessUpdate.of({ ...good, owner: 'nobody' }));
  assert.notEqual(ledger.rows.get(witnesses, 'nobody'), undefined);
});
