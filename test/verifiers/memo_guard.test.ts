import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { Refusal, unlessRefused } from '../../src/base/refusal.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { secretOfSeed } from '../../src/crypto/brain_key.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { MemoGuard, type SentMemo } from '../../src/verifiers/memo_guard.ts';
import type { Json } from '../../src/codec/json.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import {
  testKey,
  testKeyText,
  openChain,
  produce,
  testSecret,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';
import { rowMethods } from '../builders/row_methods.ts';

const parameters = testParameters();

const seedKeyText = (seed: string): string =>
  publicKeyText(Buffer.from(derivePublicKey(secretOfSeed(seed)) ?? assert.fail()).toString('hex'), 'PHR');

/** A chain on which bob's owner, carol's active and dave's memo key come from the password "hunter2". */
function chainWithPasswords(): Chain {
  const chain = openChain(parameters);
  const by = (key: string): object => ({ weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] });
  const update = (account: string, changes: object): void => {
    const body = { fee: '0.000000 COIN', account, memo_key: testKeyText(account), json_metadata: '', ...changes };
    const operation = JSON.parse(JSON.stringify(['account_update', body]));
    chain.accept(makeTransaction(chain, parameters, [operation], [account]));
  };
  update('bob', { owner: by(seedKeyText('bobownerhunter2')) });
  update('carol', { active: by(seedKeyText('carolactivehunter2')) });
  update('dave', { memo_key: seedKeyText('davepostinghunter2') });
  produce(chain);
  return chain;
}

const chain = chainWithPasswords();

/** A chain on which two of the keys that come from these seeds are erin's owner. */
function chainWhereErinHas(seeds: readonly string[]): Chain {
  const own = openChain(parameters);
  const keys = seeds.map(seedKeyText).toSorted((a, b) => (a < b ? -1 : 1));
  const owner = { weight_threshold: 2, account_auths: [], key_auths: keys.map((key) => [key, 1]) };
  const body = { fee: '0.000000 COIN', account: 'erin', owner, memo_key: testKeyText('erin'), json_metadata: '' };
  own.accept(makeTransaction(own, parameters, [['account_update', body]], ['erin']));
  produce(own);
  return own;
}

/** As a verifier does with a batch. */
function check(guard: MemoGuard, ...batch: readonly Parameters<MemoGuard['memosOf']>[0][]): void {
  guard.begin(batch);
  const memos = batch.flatMap((each) => guard.memosOf(each));
  guard.prepare(memos);
  for (const memo of memos) guard.check(memo);
}

function guardCode(guard: MemoGuard, from: string, memo: string, signer = from): string {
  try {
    check(guard, makeTransaction(chain, parameters, [transferJson(from, 'erin', 1, memo)], [signer]));
    return 'passed';
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.lineageCode, 4_100_000);
    assert.ok(!error.message.includes(memo), 'a refusal says no secret');
    return error.code;
  }
}

test('a memo that is the password of the sender is refused, whichever key it makes', () => {
  const guard = new MemoGuard(chain.committed);
  assert.equal(guardCode(guard, 'bob', 'hunter2'), 'memo_is_owner_key');
  // Signed with its owner key: the active one is made from the password.
  assert.equal(guardCode(guard, 'carol', 'hunter2'), 'memo_is_active_key');
  assert.equal(guardCode(guard, 'dave', 'hunter2'), 'memo_is_memo_key');
  assert.equal(guardCode(guard, 'alice', 'hunter2'), 'passed');
  assert.equal(guardCode(guard, 'bob', 'hunter2 '), 'passed');
});

test('a memo that is a private key of the sender is refused, somebody else’s is not', () => {
  const guard = new MemoGuard(chain.committed);
  assert.equal(guardCode(guard, 'alice', encodeWif(testSecret('alice'))), 'memo_is_owner_key');
  assert.equal(guardCode(guard, 'alice', encodeWif(testSecret('erin'))), 'passed');
});

test('a text that reveals a key that signed is refused, although the head knows neither the key nor its account', () => {
  const guard = new MemoGuard(chain.committed);
  for (const sender of ['nobody', 'bob'])
    assert.equal(guardCode(guard, sender, `my key: ${encodeWif(testSecret('erin'))}`, 'erin'), 'memo_is_signing_key');
  // A key that is waiting for its block is one of several signers.
  const both = makeTransaction(
    chain,
    parameters,
    [transferJson('alice', 'erin', 1, encodeWif(testSecret('frank')))],
    ['alice', 'frank'],
  );
  assert.throws(() => check(guard, both), { code: 'memo_is_signing_key' });
});

test('a memo that was tried before is judged by the keys that the sender has now', () => {
  const own = chainWithPasswords();
  const guard = new MemoGuard(own.committed);
  const pay = (): void =>
    check(guard, makeTransaction(own, parameters, [transferJson('erin', 'bob', 1, 'hunter2')], ['erin']));
  pay();
  pay();
  const body = { fee: '0.000000 COIN', account: 'erin', memo_key: seedKeyText('erinownerhunter2'), json_metadata: '' };
  own.accept(makeTransaction(own, parameters, [['account_update', body]], ['erin']));
  produce(own);
  assert.throws(pay, { code: 'memo_is_memo_key' });
});

test('what the chain refuses for its signer, and operations without a memo, are not looked at', () => {
  const guard = new MemoGuard(chain.committed);
  assert.equal(guardCode(guard, 'bob', 'hunter2', 'erin'), 'passed');
  assert.equal(guardCode(guard, 'nobody', 'hunter2'), 'passed');
  assert.equal(guardCode(guard, 'bob', ''), 'passed');
  const sponsor = [
    'sponsor_fees',
    { fee: '0.000000 COIN', sponsor: 'bob', sponsored: 'erin', is_sponsoring: true },
  ] as const;
  check(guard, makeTransaction(chain, parameters, [[...sponsor]], ['bob']));
});

test('among thousands of memos of a batch exactly those that give a key away are refused', () => {
  const guard = new MemoGuard(chain.committed);
  const secretsOf: Readonly<Record<string, string>> = {
    bob: 'hunter2',
    carol: 'hunter2',
    dave: 'hunter2',
    alice: encodeWif(testSecret('alice')),
  };
  const cachedMemo = (from: string, number: number): string =>
    number % 97 === 0 ? (secretsOf[from] ?? '') : `payment ${number % 1500}`;
  const names = Object.keys(secretsOf);
  const operations = Array.from({ length: 3100 }, (_, number) => {
    const from = names[number % names.length] ?? '';
    return transferJson(from, 'erin', 1, cachedMemo(from, number));
  });
  // The second time it remembers some.
  for (let round = 1; round <= 2; round++) {
    const sent = makeTransaction(chain, parameters, operations, names);
    guard.begin([sent]);
    const texts = guard.memosOf(sent);
    guard.prepare(texts);
    // A text with a key is compared with those of the other signers as well.
    const memos = texts.filter(({ mayBePassword }) => mayBePassword);
    const isRefused = (memo: SentMemo): boolean => unlessRefused(() => (guard.check(memo), true)) === undefined;
    assert.deepEqual(
      memos.flatMap((memo, number) => (isRefused(memo) ? [number] : [])),
      memos.flatMap((_, number) => (number % 97 === 0 ? [number] : [])),
    );
    assert.deepEqual(
      texts.filter((text) => !text.mayBePassword && isRefused(text)),
      [],
    );
  }
});

test('the password of any key that a multi-signature account names is refused', () => {
  const passwords = ['one', 'two', 'three'];
  const own = chainWhereErinHas(passwords.map((password) => `erinposting${password}`));
  const guard = new MemoGuard(own.committed);
  for (const password of passwords) {
    const pay = makeTransaction(own, parameters, [transferJson('erin', 'bob', 1, password)], ['erin']);
    assert.throws(() => check(guard, pay), { code: 'memo_is_owner_key' });
  }
});

test('a password of any form is found at any place of a batch of any size among memos that are all different', () => {
  const passwords = [
    'x',
    ' spaced  out ',
    'пароль',
    '密碼🔑',
    'P5KQwrPbwdL6PhXujxW37FSSQZ1JiwsST4cqQzDeyXtP79zkvFD3',
    'a'.repeat(2047),
    '0',
    '\n',
  ];
  const roles = ['owner', 'active', 'posting'];
  const own = chainWhereErinHas(passwords.map((password, i) => `erin${roles[i % 3]}${password}`));
  const guard = new MemoGuard(own.committed);
  let number = 1000;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.nat(299),
      fc.constantFrom(...passwords),
      (count, place, password) => {
        const memos = Array.from({ length: count }, (_, i) =>
          i === place % count ? password : `${'order '.repeat(i % 9)}${number++}`,
        );
        const operations = memos.map((memo) => transferJson('erin', 'bob', 1, memo));
        const transaction = makeTransaction(own, parameters, operations, ['erin']);
        guard.begin([transaction]);
        const sent = guard.memosOf(transaction);
        guard.prepare(sent);
        const refused = sent.flatMap((memo, i) =>
          unlessRefused(() => (guard.check(memo), true)) === undefined ? [i] : [],
        );
        assert.deepEqual(refused, [place % count]);
      },
    ),
    { numRuns: 60 },
  );
});

test('a guard that is off looks at nothing', () => {
  const guard = new MemoGuard(chain.committed, false);
  assert.equal(guardCode(guard, 'bob', 'hunter2'), 'passed');
});

const fee = '0.010000 COIN';
const wif = encodeWif(testSecret('alice'));
const sentence = `my key is ${wif}, keep it`;
const json = JSON.stringify({ note: sentence });
const document = { fee, sender: 'alice', recipients: ['erin'], app_id: 1 };
const application = { fee, author: 'alice', name: 'shop' };
const byAlice = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('alice'), 1]] };
const created = { fee, creator: 'alice', owner: byAlice, active: byAlice, memo_key: testKeyText('alice') };
const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
const witness = { fee, owner: 'alice', block_signing_key: testKeyText('alice'), props };
const ends = { ratification_deadline: '2030-01-01T00:00:00', escrow_expiration: '2031-01-01T00:00:00' };
const held = {
  fee,
  from: 'alice',
  to: 'bob',
  agent: 'carol',
  escrow_id: 1,
  coin_amount: '1.000000 COIN',
  escrow_fee: '0.000000 COIN',
};

/** By kind and member: an operation of alice that gives her key away there. */
const leaks: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  transfer: { memo: { fee, from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: sentence } },
  account_create: {
    name_seed: { ...created, name_seed: sentence, json_metadata: '' },
    json_metadata: { ...created, name_seed: 'seed', json_metadata: json },
  },
  account_update: { json_metadata: { fee, account: 'alice', memo_key: testKeyText('alice'), json_metadata: json } },
  witness_update: { url: { ...witness, url: `https://example.org/${wif}` } },
  admin_witness_update: {
    url: { ...witness, owner: 'initminer', url: `https://example.org/${encodeWif(testSecret('initminer'))}` },
  },
  witness_set_properties: {
    props: { fee, owner: 'alice', props: { key: testKey('alice'), url: sentence }, extensions: [] },
  },
  custom: { data: { ...document, data: Buffer.from(sentence).toString('hex') } },
  custom_json: { json: { ...document, json } },
  custom_binary: { data: { ...document, data: Buffer.from(sentence).toString('hex') } },
  escrow_transfer: { json_meta: { ...held, ...ends, json_meta: json } },
  application_create: {
    name: { ...application, name: wif, url: 'u', metadata: '', price_param: 1 },
    url: { ...application, url: sentence, metadata: '', price_param: 1 },
    metadata: { ...application, url: 'u', metadata: json, price_param: 1 },
  },
  application_update: {
    name: { ...application, name: wif, url: '', metadata: '' },
    url: { ...application, url: sentence, metadata: '' },
    metadata: { ...application, url: '', metadata: sentence },
  },
  application_delete: { name: { ...application, name: wif } },
};

test('every member that holds text of the sender’s choice is looked at, in every kind of operation', () => {
  const holding = Object.values(operationKinds).filter(({ textMembers }) => textMembers.length > 0);
  const members = new Map(holding.map(({ name, textMembers }) => [name, [...textMembers].toSorted()]));
  assert.deepEqual(members, new Map(Object.entries(leaks).map(([name, by]) => [name, Object.keys(by).toSorted()])));
  const guard = new MemoGuard(chain.committed);
  for (const [name, textMembers] of members) {
    for (const member of textMembers) {
      const body = leaks[name]?.[member] ?? assert.fail(`no text for ${name}.${member}`);
      const operation: [string, Json] = [name, JSON.parse(JSON.stringify(body))];
      const sent = makeTransaction(chain, parameters, [operation], ['alice', 'initminer']);
      const message = new RegExp(
        `^the ${member} contains the private owner key of (alice|initminer), or is its password`,
      );
      assert.throws(() => check(guard, sent), { code: 'memo_is_owner_key', message }, `${name}.${member}`);
    }
  }
});

test('a text that is too short for a key costs its sender no look-up, in every kind of operation', () => {
  const asked: string[] = [];
  const guard = new MemoGuard({
    ...rowMethods(chain.committed),
    get: (table, key) => (asked.push(table.name), chain.committed.get(table, key)),
    getManyCached: (table, keys) => (
      asked.push(...keys.map(() => table.name)),
      chain.committed.getManyCached(table, keys)
    ),
  });
  for (const [name, byMember] of Object.entries(leaks))
    for (const [member, body] of Object.entries(byMember)) {
      const text = member === 'props' ? { key: testKey('alice') } : '';
      const operation: [string, Json] = [name, JSON.parse(JSON.stringify({ ...body, [member]: text }))];
      check(guard, makeTransaction(chain, parameters, [operation], ['alice']));
      assert.deepEqual(asked, [], `${name}.${member}`);
    }
  assert.equal(guardCode(guard, 'alice', 'a memo may be a password'), 'passed');
  assert.deepEqual(asked, ['account_authority', 'account']);
});

test('a dump of a wallet is refused, whosever keys these are, and nine hashes are not', () => {
  const guard = new MemoGuard(chain.committed);
  const wifs = Array.from({ length: 9 }, (_, index) => encodeWif(secretOfSeed(`paper wallet ${index}`)));
  const hashes = wifs.map((_, index) => Buffer.from(secretOfSeed(`hash ${index}`)).toString('hex'));
  assert.equal(guardCode(guard, 'alice', wifs.join('\n')), 'memo_holds_keys');
  assert.equal(guardCode(guard, 'alice', wifs.slice(1).join('\n')), 'passed');
  assert.equal(guardCode(guard, 'alice', hashes.join('\n')), 'passed');
  const transfers = wifs.map((each) => transferJson('alice', 'bob', 1, `key ${each}`));
  assert.throws(() => check(guard, makeTransaction(chain, parameters, transfers, ['alice'])), {
    code: 'memo_holds_keys',
  });
});

test('a memo that is remembered is searched anew, so one transaction’s limit hides no key in the next', () => {
  const guard = new MemoGuard(chain.committed);
  const noise = Array.from({ length: 70 }, (_, index) => Buffer.from(secretOfSeed(`noise ${index}`)).toString('hex'));
  const leak = Buffer.from(testSecret('alice')).toString('hex');
  const transfers = [...noise, leak].map((memo) => transferJson('alice', 'bob', 1, memo));
  check(guard, makeTransaction(chain, parameters, transfers, ['alice']));
  assert.equal(guardCode(guard, 'alice', leak), 'memo_is_owner_key');
});
