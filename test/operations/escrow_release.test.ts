import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { escrowRelease } from '../../src/operations/escrow_release.ts';
import { profiles } from '../../src/values/profile.ts';
import { approvedEscrow, changeEscrow, findEscrow, EXPIRATION, parties } from '../builders/escrow.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger } from '../builders/ledger.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const good = { ...parties, who: 'alice', receiver: 'bob', coin_amount: coins(2_000_000n) };
const onlyParties = {
  code: 'only_parties_release',
  text: "Only 'from' (alice) and 'to' (bob) can release funds from a non-disputed escrow",
};
const onlyFrom = { code: 'only_from_releases_to', text: "Only 'from' (alice) can release funds to 'to' (bob)." };
const onlyTo = { code: 'only_to_releases_from', text: "Only 'to' (bob) can release funds to 'from' (bob)." };
const onlyAgent = { code: 'only_agent_releases', text: "Only 'agent' (agent) can release funds in a disputed escrow." };

testRefusals({
  kind: escrowRelease,
  build: approvedEscrow,
  good,
  faults: [
    { code: 'releaser_no_party', text: 'who must be from or to or agent', body: { who: 'stranger' } },
    { code: 'receiver_no_party', text: 'receiver must be from or to', body: { receiver: 'agent' } },
    { code: 'amount_not_positive', text: 'coin amount must be positive', body: { coin_amount: coins(0n) } },
    {
      code: 'amount_symbol',
      text: 'coin amount must contain COIN',
      body: { coin_amount: { amount: 9_000_000n, symbol: 'VESTS' } },
    },
    { code: 'unknown_key', text: 'unknown key', body: { from: 'nobody', who: 'nobody' } },
    { code: 'unknown_key', text: 'unknown key', body: { escrow_id: 8 } },
    {
      code: 'release_exceeds_balance',
      text: 'Release amount exceeds escrow balance. Amount: 5.000001 COIN, Balance: 5.000000 COIN',
      body: { coin_amount: coins(5_000_001n) },
    },
    {
      code: 'escrow_to_differs',
      text: "Operation 'to' (dave) does not match escrow 'to' (bob).",
      body: { to: 'dave', receiver: 'dave' },
    },
    {
      code: 'escrow_agent_differs',
      text: "Operation 'agent' (${a}) does not match escrow 'agent' (agent).",
      body: { agent: 'dave', who: 'dave' },
    },
    {
      code: 'escrow_not_approved',
      text: 'Funds cannot be released prior to escrow approval.',
      given: (ledger) => changeEscrow(ledger, { to_approved: false }),
    },
    { ...onlyAgent, given: (ledger) => changeEscrow(ledger, { disputed: true }), alone: true },
    { ...onlyParties, body: { who: 'agent' } },
    { ...onlyFrom, body: { receiver: 'alice' } },
    { ...onlyTo, body: { who: 'bob' }, alone: true },
  ],
});

test('a release moves a part, and the last part ends the escrow', () => {
  const ledger = approvedEscrow();
  const held = ledger.account('alice').balance;
  ledger.apply(escrowRelease.of(good));
  assert.equal(ledger.account('bob').balance, FUNDS + 2_000_000n);
  assert.equal(findEscrow(ledger)?.coin_balance, 3_000_000n);
  ledger.apply(escrowRelease.of({ ...good, who: 'bob', receiver: 'alice', coin_amount: coins(3_000_000n) }));
  assert.equal(ledger.account('alice').balance, held + 3_000_000n);
  assert.equal(findEscrow(ledger), undefined);
});

const everyPair = ['alice', 'bob', 'agent', 'dave'].flatMap((who) =>
  ['alice', 'bob'].map((receiver) => ({ who, receiver })),
);
const noParty = { code: 'releaser_no_party', text: 'who must be from or to or agent' };

/** The outcome of a release by anyone to anyone: undefined when it succeeds. */
const situations = {
  'before expiration': {
    prepare: () => approvedEscrow(),
    verdict: {
      alice: { alice: onlyFrom, bob: undefined },
      bob: { alice: undefined, bob: onlyTo },
      agent: { alice: onlyParties, bob: onlyParties },
    },
  },
  'at expiration': {
    prepare: () => expired(approvedEscrow()),
    verdict: { alice: {}, bob: {}, agent: { alice: onlyParties, bob: onlyParties } },
  },
  'in a dispute': {
    prepare: () => disputed(approvedEscrow()),
    verdict: { alice: { alice: onlyAgent, bob: onlyAgent }, bob: { alice: onlyAgent, bob: onlyAgent }, agent: {} },
  },
  'in a dispute after expiration': {
    prepare: () => expired(disputed(approvedEscrow())),
    verdict: { alice: { alice: onlyAgent, bob: onlyAgent }, bob: { alice: onlyAgent, bob: onlyAgent }, agent: {} },
  },
};

function expired(ledger: Ledger): Ledger {
  ledger.moveTime(EXPIRATION);
  return ledger;
}

function disputed(ledger: Ledger): Ledger {
  changeEscrow(ledger, { disputed: true });
  return ledger;
}

type Verdicts = Readonly<
  Record<string, Readonly<Record<string, { readonly code: string; readonly text: string } | undefined>>>
>;

for (const [when, { prepare, verdict }] of Object.entries(situations)) {
  const verdicts: Verdicts = { ...verdict, dave: { alice: noParty, bob: noParty } };
  for (const { who, receiver } of everyPair) {
    const refusal = verdicts[who]?.[receiver];
    test(`${when} a release by ${who} to ${receiver} is ${refusal === undefined ? 'made' : 'refused'}`, () => {
      const ledger = prepare();
      const release = escrowRelease.of({ ...good, who, receiver });
      if (refusal === undefined) ledger.apply(release);
      else assertRefused(ledger, release, refusal);
    });
  }
}

test('an escrow of an account with itself can be released', () => {
  const ledger = approvedEscrow();
  changeEscrow(ledger, { to: 'alice' });
  ledger.apply(escrowRelease.of({ ...good, to: 'alice', receiver: 'alice' }));
  assert.equal(findEscrow(ledger)?.coin_balance, 3_000_000n);
});

test('escrows are not available in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, escrowRelease.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});

const encoding = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
} as const;

/** All that `good` says but the amount. */
const members = {
  fee: '0.010000 COIN',
  from: 'alice',
  to: 'bob',
  agent: 'agent',
  who: 'alice',
  receiver: 'bob',
  escrow_id: 7,
};

test('in JSON the amounts are objects with precision and identifier, one of nothing; a text is read as well', () => {
  const json = escrowRelease.of(good).bodyToJson(encoding);
  const sbd_amount = { amount: '0', precision: 6, nai: '@@000000013' };
  assert.deepEqual(json, {
    ...members,
    sbd_amount,
    coin_amount: { amount: '2000000', precision: 6, nai: '@@000000021' },
  });
  assert.deepEqual(escrowRelease.bodyFromJson(json, encoding).body, good);
  const asText = { ...members, coin_amount: '2.000000 COIN' };
  assert.deepEqual(escrowRelease.bodyFromJson(asText, encoding).body, good);
  assert.deepEqual(escrowRelease.of(good).bodyToJson({ ...encoding, dialect: 'legacy' }), asText);
});

test('in JSON the second amount of the interface is ignored, and unknown members are refused', () => {
  const json = {
    ...members,
    sbd_amount: { amount: '0', precision: 6, nai: '@@000000013' },
    coin_amount: '2.000000 COIN',
  };
  assert.deepEqual(escrowRelease.bodyFromJson(json, encoding).body, good);
  assert.throws(() => escrowRelease.bodyFromJson({ ...json, sbd_amounts: 1 }, encoding), /sbd_amounts: unknown member/);
});
