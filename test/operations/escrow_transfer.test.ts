import assert from 'node:assert/strict';
import { test } from 'node:test';

import { escrowTransfer } from '../../src/operations/escrow_transfer.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { profiles } from '../../src/values/profile.ts';
import { present } from '../../src/base/assert.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger, START } from '../builders/ledger.ts';

const build = (): Ledger => new Ledger({ names: ['alice', 'bob', 'agent'] });
const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });

const good = {
  fee: coins(10_000n),
  from: 'alice',
  to: 'bob',
  coin_amount: coins(5_000_000n),
  escrow_id: 30,
  agent: 'agent',
  escrow_fee: coins(100_000n),
  json_meta: '',
  ratification_deadline: START + 100,
  escrow_expiration: START + 200,
};

testRefusals({
  kind: escrowTransfer,
  build,
  good,
  faults: [
    { code: 'escrow_fee_negative', text: 'fee cannot be negative', body: { escrow_fee: coins(-1n) } },
    { code: 'amount_not_positive', text: 'coin amount cannot be negative', body: { coin_amount: coins(0n) } },
    { code: 'agent_not_third_party', text: 'agent must be a third party', body: { from: 'alice', agent: 'alice' } },
    { code: 'agent_not_third_party', text: 'agent must be a third party', body: { to: 'bob', agent: 'bob' } },
    { code: 'escrow_fee_symbol', text: 'fee must be COIN', body: { escrow_fee: { amount: 1n, symbol: 'VESTS' } } },
    {
      code: 'amount_symbol',
      text: 'coin amount must contain COIN',
      body: { coin_amount: { amount: 1n, symbol: 'USD' } },
    },
    {
      code: 'deadline_not_before_expiration',
      text: 'ratification deadline must be before escrow expiration',
      body: { ratification_deadline: START + 200, escrow_expiration: START + 200 },
    },
    { code: 'json_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { json_meta: '\udc80' } },
    { code: 'json_malformed', text: 'JSON Metadata is malformed at character 1', body: { json_meta: '{bad' } },
    { code: 'json_not_valid', text: 'JSON Metadata not valid JSON', body: { json_meta: '{} ' } },
    { code: 'unknown_key', text: 'unknown key', body: { from: 'xaver' } },
    { code: 'unknown_key', text: 'unknown key', body: { to: 'yvonne' } },
    { code: 'unknown_key', text: 'unknown key', body: { agent: 'zoe' } },
    {
      code: 'deadline_passed',
      text: 'The escorw ratification deadline must be after head block time.',
      body: { ratification_deadline: START, escrow_expiration: START + 1 },
    },
    {
      code: 'escrow_not_covered',
      text: 'Account cannot cover COIN costs of escrow. Required: 1000.000001 COIN Available: 999.999999 COIN',
      body: { coin_amount: coins(FUNDS), escrow_fee: coins(1n) },
    },
    {
      code: 'uniqueness',
      text: 'could not insert object, most likely a uniqueness constraint was violated',
      given: (ledger) => ledger.apply(escrowTransfer.of({ ...good, coin_amount: coins(1n), escrow_fee: coins(0n) })),
    },
  ],
});

test('an escrow takes amount and agent fee from the sender and leaves the supply as it is', () => {
  const ledger = build();
  const supply = ledger.supply();
  ledger.apply(escrowTransfer.of(good));
  assert.equal(ledger.account('alice').balance, FUNDS - 5_100_000n);
  assert.equal(ledger.account('bob').balance, FUNDS);
  assert.equal(ledger.supply(), supply);
  assert.deepEqual(ledger.rows.get(escrows, { from: 'alice', escrow_id: 30 }), {
    id: 0n,
    escrow_id: 30,
    from: 'alice',
    to: 'bob',
    agent: 'agent',
    ratification_deadline: START + 100,
    escrow_expiration: START + 200,
    coin_balance: 5_000_000n,
    pending_fee: 100_000n,
    to_approved: false,
    agent_approved: false,
    disputed: false,
  });
});

test('an escrow may take all that the sender has, be free of charge, and go to the sender itself', () => {
  const ledger = build();
  ledger.apply(escrowTransfer.of({ ...good, to: 'alice', coin_amount: coins(FUNDS), escrow_fee: coins(0n) }));
  assert.equal(ledger.account('alice').balance, 0n);
});

test('two senders may use the same number, and one sender several', () => {
  const ledger = build();
  ledger.apply(escrowTransfer.of(good));
  ledger.apply(escrowTransfer.of({ ...good, from: 'bob', to: 'alice' }));
  ledger.apply(escrowTransfer.of({ ...good, escrow_id: 31 }));
  assert.deepEqual(
    ledger.rows
      .range(escrows.by_ratification_deadline, { limit: 10 })
      .map(({ id, from, escrow_id }) => [id, from, escrow_id]),
    [
      [0n, 'alice', 30],
      [1n, 'bob', 30],
      [2n, 'alice', 31],
    ],
  );
});

test('costs beyond 64 bits are refused, not wrapped', () => {
  assertRefused(build(), escrowTransfer.of({ ...good, coin_amount: coins(2n ** 63n - 1n), escrow_fee: coins(1n) }), {
    code: 'integer_overflow',
    text: 'Integer Overflow',
  });
});

test('escrows are not available in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true, names: [] });
  assertRefused(ledger, escrowTransfer.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});

test('texts of the lineage have its project’s name where ours say COIN', () => {
  const ledger = new Ledger({
    profile: present(profiles['lineage'], 'the profile of the recordings'),
    rules: 'lineage',
  });
  const own = (amount: bigint): { amount: bigint; symbol: string } => ({
    amount,
    symbol: ledger.parameters.coinSymbol,
  });
  assertRefused(ledger, escrowTransfer.of({ ...good, escrow_fee: own(0n) }), {
    code: 'amount_symbol',
    text: `${ledger.parameters.profile.coinName} amount must contain SOPHIATX`,
  });
});

test('in JSON both amounts are objects with a symbol; texts are read as well', () => {
  const encoding = {
    ...present(profiles['default'], 'the default profile'),
    dialect: 'default',
    operationForm: 'pair',
  } as const;
  const json = {
    fee: '0.010000 COIN',
    from: 'alice',
    to: 'bob',
    coin_amount: { amount: '5.000000', symbol: 'COIN' },
    escrow_id: 30,
    agent: 'agent',
    escrow_fee: { amount: '0.100000', symbol: 'COIN' },
    json_meta: '',
    ratification_deadline: '2026-11-21T00:01:40',
    escrow_expiration: '2026-11-21T00:03:20',
  };
  assert.deepEqual(escrowTransfer.of(good).bodyToJson(encoding), json);
  assert.deepEqual(escrowTransfer.bodyFromJson(json, encoding).body, good);
  assert.deepEqual(
    escrowTransfer.bodyFromJson({ ...json, coin_amount: '5 COIN', escrow_fee: '0.1 COIN' }, encoding).body,
    good,
  );
});
