import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../src/codec/json.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import { operationCodec, operationKinds } from '../../src/operations/index.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { isApproved } from '../../src/state/escrow.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { timeText } from '../../src/values/time.ts';
import {
  testKey,
  testKeyText,
  hourlyBlocks,
  encoding,
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
} from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { Ledger, START } from '../builders/ledger.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const VESTED = 1_000_000_000n;

/** The delay after the head at which the last part of an operation falls due, and such an operation. */
interface Promised {
  readonly seconds: number;
  readonly rules?: readonly RuleSet[];
  readonly body: (head: number) => Json;
}

const owner: Json = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('new'), 1]] };
const escrow = {
  from: 'alice',
  to: 'bob',
  agent: 'carol',
  escrow_id: 1,
  coin_amount: '1.000000 COIN',
  escrow_fee: '0.000000 COIN',
};
const withdrawal =
  (vesting_shares: string): Promised['body'] =>
  () => ({ account: 'alice', vesting_shares });

/** Every kind of operation whose application leaves something for a later time. */
const promising: Readonly<Record<string, readonly Promised[]>> = {
  transfer_to_vesting: [
    { seconds: 365 * DAY, rules: ['interface'], body: () => ({ from: 'alice', to: 'bob', amount: '1.000000 COIN' }) },
    { seconds: 0, rules: ['lineage'], body: () => ({ from: 'alice', to: 'bob', amount: '1.000000 COIN' }) },
  ],
  withdraw_vesting: [
    { seconds: 27 * DAY, body: withdrawal('2.700000 VESTS') },
    // 4 a day, and at last the rest.
    { seconds: 25 * DAY, rules: ['interface'], body: withdrawal('0.000100 VESTS') },
    { seconds: 34 * DAY, rules: ['lineage'], body: withdrawal('0.000100 VESTS') },
    { seconds: DAY, body: withdrawal('0.000001 VESTS') },
  ],
  request_account_recovery: [
    {
      seconds: DAY,
      body: () => ({
        recovery_account: 'initminer',
        account_to_recover: 'alice',
        new_owner_authority: owner,
        extensions: [],
      }),
    },
  ],
  change_recovery_account: [
    { seconds: 30 * DAY, body: () => ({ account_to_recover: 'alice', new_recovery_account: 'bob', extensions: [] }) },
  ],
  escrow_transfer: [
    {
      seconds: 2 * DAY,
      body: (head) => ({
        ...{ ...escrow, json_meta: '' },
        ...{ ratification_deadline: timeText(head + DAY), escrow_expiration: timeText(head + 2 * DAY) },
      }),
    },
  ],
};

/**
 * All others. Rights that end are no promise: a former owner authority proves a recovery for 30 days, an owner
 * authority stays for an hour, a price counts for a week. They end with the chain, and to refuse them would keep a
 * stolen key in office.
 */
const others = [
  ...[
    'transfer',
    'feed_publish',
    'account_create',
    'account_update',
    'account_delete',
    'witness_update',
    'witness_stop',
  ],
  ...[
    'account_witness_vote',
    'account_witness_proxy',
    'witness_set_properties',
    'custom',
    'custom_json',
    'custom_binary',
  ],
  ...['recover_account', 'escrow_dispute', 'escrow_release', 'escrow_approve', 'reset_account', 'set_reset_account'],
  ...['application_create', 'application_update', 'application_delete', 'buy_application', 'cancel_application_buying'],
  ...['transfer_from_promotion_pool', 'sponsor_fees', 'admin_witness_update'],
];

test('every kind of operation either promises something for later or is known to promise nothing', () => {
  const kinds = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
  assert.deepEqual(kinds.map(({ name }) => name).toSorted(), [...Object.keys(promising), ...others].toSorted());
});

for (const rules of ['interface', 'lineage'] as const) {
  for (const [name, promises] of Object.entries(promising)) {
    const mine = promises.filter((each) => (each.rules ?? [rules]).includes(rules));
    test(`${name} is taken as long as all that it promises falls due before the end of time, under rules ${rules}`, () => {
      for (const { seconds, body } of mine) {
        for (const intervalSeconds of [3, 7, DAY]) {
          const attempt = (head: number): string | undefined =>
            attemptOperation(rules, intervalSeconds, head, [name, body(head)]);
          const { lastBlockTime } = new Ledger({ genesis: { block_interval: intervalSeconds } }).parameters;
          assert.equal(attempt(lastBlockTime - seconds), undefined, `${seconds} seconds before`);
          if (seconds > 0)
            assert.equal(attempt(lastBlockTime - seconds + 1), 'time_over', `${seconds - 1} seconds before`);
        }
      }
    });
  }
}

/** The code of the refusal of the operation at that time. */
function attemptOperation(rules: RuleSet, block_interval: number, head: number, operation: Json): string | undefined {
  const ledger = new Ledger({ rules, genesis: { block_interval } });
  ledger.moveTime(head - START);
  ledger.changeAccount('alice', { vesting_shares: VESTED, recovery_account: 'initminer' });
  return catchRefusal(() => ledger.apply(operationCodec.fromJson(operation, encoding)))?.code;
}

test('an escrow for the time that never comes is refused: no block would be late enough to end it', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const ends = { ratification_deadline: timeText(START + DAY), escrow_expiration: '2106-02-07T06:28:15' };
    assert.equal(
      attemptOperation(rules, 3, START, ['escrow_transfer', { ...escrow, json_meta: '', ...ends }]),
      'time_over',
    );
  }
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`whatever was taken in the last months has happened when time ends, under rules ${rules}`, () => {
    const lock = rules === 'interface' ? { minimum_vesting_seconds: 20 * DAY } : {};
    const { lastBlockTime } = testParameters({ ...hourlyBlocks, ...lock }, rules);
    const parameters = testParameters(
      { ...hourlyBlocks, ...lock, genesis_time: timeText(lastBlockTime - 70 * DAY) },
      rules,
    );
    const chain = openChain(parameters);
    const randomSource = new RandomSource(3);
    const labels = new Map([...people, 'initminer'].map((name) => [testKey(name), name]));
    const counts = new Map<string, number>();
    while (chain.slotTime(1) <= lastBlockTime) {
      for (let sent = 0; sent < 6; sent++) {
        const { operation, signers } = new RandomOperations(chain, randomSource, labels).make(
          randomSource.pick(Object.keys(promising)),
        );
        const made = () =>
          makeTransaction(chain, parameters, [operation], signers, { expiration: chain.head.time + HOUR });
        const code = catchRefusal(() => void chain.accept(made()))?.code ?? operation[0];
        counts.set(code, (counts.get(code) ?? 0) + 1);
      }
      const most = Math.trunc((lastBlockTime - chain.head.time) / HOUR);
      produce(chain, most <= 48 ? 1 : 1 + randomSource.roll(12));
    }
    for (const name of [...Object.keys(promising), 'time_over'])
      assert((counts.get(name) ?? 0) > 0, `${name} was tried`);
    assert.equal(chain.head.time, lastBlockTime);
    const rows = chain.committed;
    const left = rows.rows(accounts, { limit: 1000 });
    assert.deepEqual(
      left.filter(({ vesting_withdraw_rate }) => vesting_withdraw_rate !== 0n),
      [],
    );
    assert.deepEqual(
      left.filter(({ vestings }) => vestings.some(({ latest }) => latest + 20 * DAY > lastBlockTime)),
      [],
    );
    assert.deepEqual(rows.rows(accountRecoveryRequests, { limit: 1000 }), []);
    assert.deepEqual(rows.rows(changeRecoveryAccountRequests, { limit: 1000 }), []);
    const open = rows.rows(escrows, { limit: 1000 });
    assert.deepEqual(
      open.filter((each) => !isApproved(each) || each.escrow_expiration > lastBlockTime),
      [],
    );
  });
}
