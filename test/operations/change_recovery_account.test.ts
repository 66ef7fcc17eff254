import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { changeRecoveryAccount } from '../../src/operations/change_recovery_account.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { profiles } from '../../src/values/profile.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger, START } from '../builders/ledger.ts';

const THIRTY_DAYS = 30 * 86_400;
const good = {
  fee: { amount: 0n, symbol: 'COIN' },
  account_to_recover: 'alice',
  new_recovery_account: 'bob',
  extensions: [],
};
const waiting = (ledger: Ledger): unknown => ledger.rows.get(changeRecoveryAccountRequests, 'alice');

testRefusals({
  kind: changeRecoveryAccount,
  build: () => new Ledger(),
  good,
  faults: [
    { code: 'unknown_key', text: 'unknown key', body: { new_recovery_account: 'nobody' } },
    { code: 'unknown_key', text: 'unknown key', body: { account_to_recover: 'nobody' } },
  ],
});

test('a change waits for 30 days and leaves the account as it is', () => {
  const ledger = new Ledger();
  ledger.apply(changeRecoveryAccount.of(good));
  assert.deepEqual(waiting(ledger), {
    id: 0n,
    account_to_recover: 'alice',
    recovery_account: 'bob',
    effective_on: START + THIRTY_DAYS,
  });
  assert.equal(ledger.account('alice').recovery_account, 'initminer');
});

test('another change replaces the first and waits for 30 days anew', () => {
  const ledger = new Ledger();
  ledger.apply(changeRecoveryAccount.of(good));
  ledger.moveTime(500);
  ledger.apply(changeRecoveryAccount.of({ ...good, new_recovery_account: 'carol' }));
  assert.deepEqual(waiting(ledger), {
    id: 0n,
    account_to_recover: 'alice',
    recovery_account: 'carol',
    effective_on: START + 500 + THIRTY_DAYS,
  });
});

test('naming the present recovery account withdraws a change that waits', () => {
  const ledger = new Ledger();
  ledger.apply(changeRecoveryAccount.of(good));
  ledger.apply(changeRecoveryAccount.of({ ...good, new_recovery_account: 'initminer' }));
  assert.equal(waiting(ledger), undefined);
});

test('naming the present recovery account is a change like others when none waits', () => {
  const ledger = new Ledger();
  ledger.apply(changeRecoveryAccount.of({ ...good, new_recovery_account: 'initminer' }));
  assert.deepEqual(waiting(ledger), {
    id: 0n,
    account_to_recover: 'alice',
    recovery_account: 'initminer',
    effective_on: START + THIRTY_DAYS,
  });
});

test('the only extension is the void one, once, and an unknown one is refused', () => {
  const encoding = {
    ...present(profiles['default'], 'the default profile'),
    dialect: 'default',
    operationForm: 'pair',
  } as const;
  const names = { account_to_recover: 'alice', new_recovery_account: 'bob' };
  const operation = changeRecoveryAccount.bodyFromJson(
    {
      ...names,
      extensions: [
        [0, {}],
        [0, {}],
      ],
    },
    encoding,
  );
  const out = new ByteWriter();
  operation.writeBody(out);
  const bytes = out.finish();
  assert.equal(Buffer.from(bytes).toString('hex').slice(-4), '0100');
  assert.deepEqual(changeRecoveryAccount.readBody(new ByteReader(bytes)).bodyToJson(encoding), {
    fee: '0.000000 COIN',
    ...names,
    extensions: [[0, {}]],
  });
  bytes.set([1], bytes.length - 1);
  assert.throws(() => changeRecoveryAccount.readBody(new ByteReader(bytes)), Refusal);
  assert.throws(() => changeRecoveryAccount.bodyFromJson({ ...names, extensions: [[1, {}]] }, encoding), Refusal);
});
