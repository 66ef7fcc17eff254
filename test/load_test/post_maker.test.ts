import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Json } from '../../src/codec/json.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { signTransaction } from '../../src/blocks/sign_transaction.ts';
import { signatureRules } from '../../src/blocks/signature_form.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../../src/blocks/transaction.ts';
import { member } from '../../src/client/chain_of_node.ts';
import { secretOfSeed } from '../../src/crypto/brain_key.ts';
import { Fault } from '../../src/base/fault.ts';
import { mixNamed, type Mix } from '../../src/load_test/mix.ts';
import { PostMaker } from '../../src/load_test/post_maker.ts';
import { postId, type TrafficPost } from '../../src/load_test/traffic_post.ts';
import { profiles } from '../../src/values/profile.ts';
import { present } from '../../src/base/assert.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-mix-'));
after(() => rmSync(folder, { recursive: true }));

function readTestMix(json: unknown): Mix {
  const file = join(folder, 'mix.json');
  writeFileSync(file, typeof json === 'string' ? json : JSON.stringify(json));
  return mixNamed(file);
}

const profile = present(profiles['default'], 'the profile');
const encoding = { ...profile, dialect: 'default', operationForm: 'pair' } as const;
const accounts = ['ann', 'ben', 'cleo', 'dan'].map((name) => ({
  name,
  secrets: [secretOfSeed(name)],
  isWitness: name === 'dan',
}));
const shared = { name: 'both', secrets: [secretOfSeed('x'), secretOfSeed('y')], isWitness: false };
const reference = {
  blockId: '00000005aa00000000000000000000000000000b',
  headTime: 1_800_000_000,
  expiration: 1_800_000_600,
};

function makeMaker(mix: Mix, first = 0, step = 1): PostMaker {
  const fees = { transfer: 10_000n, custom_json: 10_000n };
  const base = { profileName: 'default', chainId: 'ab'.repeat(32), witness: 'dan', seed: 5 };
  return new PostMaker({ mix, accounts: [...accounts, shared], fees, first, step, ...base });
}

/** The transactions in a post, read back from its text. */
function readTransactions({ body }: TrafficPost): SignedTransaction[] {
  const json = readJson(body);
  return (Array.isArray(json) ? json : [json]).map((call) =>
    signedTransaction.fromJson(member(member(call, 'params'), 'trx') ?? null, encoding),
  );
}

function makePosts(mix: Mix, count: number): TrafficPost[] {
  const maker = makeMaker(mix);
  return Array.from({ length: count }, () => maker.make(1, reference)).flat();
}

/** The operations of a post as JSON: name and members. */
function listOperations(post: TrafficPost): { readonly body: Json }[] {
  return readTransactions(post).flatMap((transaction) => {
    const listed = member(signedTransaction.toJson(transaction, encoding), 'operations');
    return (Array.isArray(listed) ? listed : []).map((pair) =>
      Array.isArray(pair) ? { body: pair[1] ?? null } : { body: null },
    );
  });
}

function findSender({ operations }: SignedTransaction): { readonly secrets: readonly Uint8Array[] } | undefined {
  const json = JSON.stringify(operations, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return accounts.find(({ name }) => json.includes(`"from":"${name}"`));
}

test('every transaction of a mix reads back as the one whose id it has, whatever the order of its members, and none comes twice', () => {
  const posts = makePosts(mixNamed('real'), 300);
  const ids = posts.flatMap((post) =>
    readTransactions(post).map((transaction, index) => {
      assert.equal(transactionId(transaction), postId(post, index));
      return postId(post, index);
    }),
  );
  assert.equal(new Set(ids).size, ids.length);
  const orders = new Set(posts.map(({ body }) => /"trx":\{"([a-z_]+)"/.exec(Buffer.from(body).toString())?.[1]));
  assert.equal(orders.size, 6, 'any member may be the first');
});

test('posts that are made together are those made one by one, and their signatures those of the wallet', () => {
  const mix = readTestMix({
    forms: [
      { bytes: 30, members: 'declared' },
      { signers: 2, batch: 7, members: 'declared' },
    ],
  });
  const together = makeMaker(mix).make(200, reference);
  assert.deepEqual(together, makePosts(mix, together.length));
  for (const transaction of together.flatMap(readTransactions)) {
    const { signatures, ...unsigned } = transaction;
    const secrets = signatures.length === 2 ? shared.secrets : present(findSender(transaction), 'the sender').secrets;
    assert.deepEqual(
      signTransaction('ab'.repeat(32), { ...unsigned, signatures: [] }, secrets, signatureRules.one)?.signatures,
      signatures,
    );
  }
});

test('calls come in the shares that the mix gives them, however many are in a post', () => {
  const mix = readTestMix({
    forms: [
      { share: 60, batch: 20 },
      { share: 30, operation: 'custom_json', bytes: 10 },
      { method: 'a.b', share: 10, batch: 3 },
    ],
  });
  const calls = [0, 0, 0];
  for (const { form, count } of makePosts(mix, 3000)) calls[form] = (calls[form] ?? 0) + count;
  const all = calls.reduce((sum, count) => sum + count);
  [0.6, 0.3, 0.1].forEach((share, form) =>
    assert.ok(Math.abs((calls[form] ?? 0) / all - share) < 0.05, `${form}: ${calls[form]} of ${all}`),
  );
});

test('memos have the lengths and the likeness that were asked for', () => {
  const mix = readTestMix({ forms: [{ operation: 'transfer', bytes: [20, 40], likeness: 0.5 }] });
  const memos = makePosts(mix, 200)
    .flatMap(listOperations)
    .map(({ body }) => String(member(body, 'memo')));
  const lengths = memos.map((memo) => memo.length);
  assert.deepEqual([Math.min(...lengths), Math.max(...lengths)], [20, 40]);
  assert.equal(new Set(memos.map((memo) => memo.slice(0, 10))).size, 1);
  assert.equal(new Set(memos.map((memo) => memo.slice(-10))).size, 200);
});

test('signers, operations, recipients, what is waited for: as the file says', () => {
  const mix = readTestMix({
    forms: [{ signers: 2, operations: 3, recipients: 2, wait_for: 'block', batch: 2, members: 'declared' }],
  });
  const [post] = makePosts(mix, 1);
  assert.ok(post !== undefined);
  const transactions = readTransactions(post);
  assert.equal(transactions.length, 2);
  for (const { signatures, operations } of transactions) {
    assert.deepEqual([signatures.length, operations.length], [2, 3]);
  }
  for (const { body } of listOperations(post)) {
    assert.equal(member(body, 'from'), 'both');
    assert.ok(['ann', 'ben'].includes(String(member(body, 'to'))));
  }
  assert.match(
    Buffer.from(post.body).toString(),
    /^\[\{"jsonrpc":"2.0","id":0,"method":"network_broadcast_api.broadcast_transaction_synchronous"/,
  );
  for (const [wait_for, method, param] of [
    ['accepted', 'broadcast_transaction', null],
    ['block', 'broadcast_transaction_synchronous', null],
    ['final', 'broadcast_transaction_synchronous', 'final'],
  ] as const) {
    const [waiting] = makePosts(readTestMix({ forms: [{ wait_for }] }), 1);
    const call = readJson(waiting?.body ?? assert.fail('a post'));
    assert.equal(member(call, 'method'), `network_broadcast_api.${method}`);
    assert.equal(member(member(call, 'params'), 'wait_for') ?? null, param);
  }
  assert.throws(() => readTestMix({ forms: [{ wait_for: 'never' }] }), /wait_for: accepted or block or final expected/);
});

test('a read names accounts in turn, and has no transaction', () => {
  const posts = makePosts(
    readTestMix({ forms: [{ method: 'alexandria_api.get_account', params: { account_name: '{account}' } }] }),
    50,
  );
  const names = new Set(posts.map(({ body }) => /"account_name":"([a-z]+)"/.exec(Buffer.from(body).toString())?.[1]));
  assert.deepEqual(
    [...names].map(String).sort((a, b) => (a < b ? -1 : 1)),
    ['ann', 'ben', 'both', 'cleo', 'dan'],
  );
  assert.ok(posts.every(({ ids }) => ids.length === 0));
});

test('makers that share a load make no transaction twice', () => {
  const ids = [0, 1, 2].flatMap((first) => {
    const maker = makeMaker(mixNamed('plain'), first, 3);
    return [0, 1].flatMap(() => {
      const [post] = maker.make(1, reference);
      assert.ok(post);
      return Array.from({ length: post.count }, (_, index) => postId(post, index));
    });
  });
  assert.equal(new Set(ids).size, 600);
});

test('a mistake in a mix is told with its place', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ forms: [] }, /forms is empty/],
    [{ form: [] }, /mix has no member form; the nearest is forms/],
    [{ forms: [{ shares: 3 }] }, /forms\[0\] has no member shares; the nearest is share/],
    [{ forms: [{}, { operation: 'transfr' }] }, /forms\[1\].operation: .*transfer is the nearest expected/],
    [{ forms: [{ bytes: [10, 5] }] }, /forms\[0\].bytes: .* expected/],
    [{ forms: [{ bytes: 2048 }] }, /forms\[0\].bytes: a number of bytes from 0 to 2047/],
    [{ forms: [{ batch: 101 }] }, /forms\[0\].batch: a number from 1 to 100 expected/],
    [{ forms: [{ signers: 1.5 }] }, /forms\[0\].signers: a whole number expected/],
    [{ forms: [{ members: 'sorted' }] }, /forms\[0\].members: any or declared expected/],
    [{ forms: [{ share: 0 }] }, /forms\[0\].share/],
    [{ forms: [7] }, /forms\[0\] is no object/],
    ['{', /the mix .*mix\.json: /],
  ];
  for (const [json, message] of cases) {
    assert.throws(
      () => readTestMix(json),
      (error) => error instanceof Fault && error.code === 'configuration' && message.test(error.message),
      String(message),
    );
  }
  assert.throws(
    () => mixNamed(join(folder, 'none.json')),
    /a mix is one of real, plain, payments, reads or a file; .*none.json cannot be read/,
  );
});
