import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { commonChain } from './common_chain.ts';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { fetchBalance, requireObject, signed, timeText, makeTransaction, transfer } from './signer.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm } from '../builders/forms.ts';

const CHECK = 'alexandria_api.check_transaction';
const SENDING = 'alexandria_api.broadcast_transaction';
/** The text of the key of alice, as the banner of a development chain shows it. */
const ALICE_KEY = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

let program: Program;

before(async () => {
  program = await commonChain();
});

async function check(tx: Json): Promise<Json> {
  return at(await program.result(CHECK, { tx }), 'check');
}

/** Removes the time, which changes from block to block and is no part of the decision. */
function withoutTime(error: Json): Json {
  const { head_time: time, head_block: block, latest, ...data } = requireObject(at(error, 'data'));
  const message = [time, block, latest].reduce(
    (text: string, part) => text.replaceAll(String(part), ''),
    textMember(error, 'message'),
  );
  return { code: at(error, 'code'), message, data };
}

/** Transactions to check and send, with the expected outcome. */
const sent: readonly { readonly what: string; readonly isAccepted?: true; readonly make: () => Promise<Json> }[] = [
  { what: 'a transfer', isAccepted: true, make: async () => await payment(['alice']) },
  { what: 'one without a signature', make: async () => await payment([]) },
  { what: 'one with a signature of somebody else', make: async () => await payment(['bob']) },
  { what: 'one with a signature too many', make: async () => await payment(['alice', 'bob']) },
  { what: 'one that is signed twice', make: async () => await payment(['alice', 'alice']) },
  { what: 'more than there is', make: async () => await payment(['alice'], '999999999.000000') },
  { what: 'one to nobody', make: async () => await made([transfer('alice', 'nobody', '1.000000')], ['alice']) },
  {
    what: 'one that has expired',
    make: async () => await made([transfer('alice', 'bob', '1.000000')], ['alice'], -10),
  },
  {
    what: 'one of another chain',
    make: async () => ({ ...requireObject(await payment(['alice'])), ref_block_prefix: 1 }),
  },
  {
    what: 'one whose signature is none',
    make: async () => ({ ...requireObject(await payment([])), signatures: ['00'.repeat(65)] }),
  },
  {
    what: 'a memo that is a key',
    make: async () => await made([transfer('alice', 'bob', '1.000000', ALICE_KEY)], ['alice']),
  },
  {
    what: 'shares',
    isAccepted: true,
    make: async () =>
      await made(
        [['transfer_to_vesting', { fee: '0.000000 COIN', from: 'bob', to: 'carol', amount: '5.000000 COIN' }]],
        ['bob'],
      ),
  },
];

async function made(operations: readonly Json[], signers: readonly string[], secondsToLive = 3000): Promise<Json> {
  return await signed(program, await makeTransaction(program, operations, secondsToLive), ...signers);
}

async function payment(signers: readonly string[], amount = '1.000000'): Promise<Json> {
  return await made([transfer('alice', 'bob', amount)], signers);
}

test('a check tells the error that sending has, and the balances that sending makes', async (t) => {
  for (const { what, isAccepted = false, make } of sent)
    await t.test(what, async () => await compare(await make(), isAccepted));
});

const NAMES = ['alice', 'bob', 'carol'];

/** Compares what is told about a transaction with what comes of it. */
async function compare(tx: Json, isAccepted: boolean): Promise<void> {
  const told = await check(tx);
  const had = await Promise.all(NAMES.map((name) => fetchBalance(program, name)));
  const answer = await program.call(SENDING, { tx });
  const error = optionalMember(answer, 'error');
  const refusal = at(told, 'refusal');
  assert.equal(error === undefined, isAccepted, JSON.stringify(answer));
  if (error !== undefined) return assert.deepEqual(withoutTime(refusal), withoutTime(error));
  assert.deepEqual([refusal, at(told, 'refusal_when_signed'), at(told, 'missing_signatures')], [null, null, []]);
  assert.equal(at(told, 'transaction_id'), at(answer, 'result.tx.transaction_id'));
  for (const [k, name] of NAMES.entries()) {
    const change = listMember(told, 'balances').find(
      (each) => at(each, 'account') === name && textMember(each, 'after').endsWith(' COIN'),
    );
    const expected = change === undefined ? had[k] : millionths(textMember(change, 'after'));
    assert.equal(await fetchBalance(program, name), expected, name);
    if (change !== undefined) assert.equal(millionths(textMember(change, 'before')), had[k]);
  }
}

function millionths(asset: string): bigint {
  return BigInt(asset.replace(/ .*$/, '').replace('.', ''));
}

test('an unsigned transaction is told what is missing, what it costs, and what it would do once signed', async () => {
  const told = await check(await payment([]));
  assert.equal(at(told, 'refusal.data.name'), 'missing_active_authority');
  assert.equal(at(told, 'refusal_when_signed'), null);
  const [missing = null, ...others] = listMember(told, 'missing_signatures');
  assert.deepEqual(
    [at(missing, 'account'), at(missing, 'role'), at(missing, 'weight'), at(missing, 'weight_threshold'), others],
    ['alice', 'active', 0, 1, []],
  );
  assert.match(textMember(missing, 'keys.0.key'), /^PHR/);
  const transferFee = '0.010000 COIN';
  assert.deepEqual(listMember(told, 'fees'), [
    { operation: 'transfer', payer: 'alice', required: transferFee, charged: transferFee },
  ]);
  assert.deepEqual(
    listMember(told, 'balances').map((each) => [at(each, 'account'), at(each, 'change')]),
    [
      ['alice', '-1.010000 COIN'],
      ['bob', '1.000000 COIN'],
    ],
  );
});

test('an unsigned transaction that would be refused anyway is told both reasons', async () => {
  const told = await check(await payment([], '999999999.000000'));
  assert.equal(at(told, 'refusal.data.name'), 'missing_active_authority');
  assert.equal(at(told, 'refusal_when_signed.data.name'), 'insufficient_funds');
  assert.deepEqual(at(told, 'balances'), []);
});

test('a memo is looked at only for those who could send it, and is not shown', async () => {
  const told = await check(await made([transfer('alice', 'bob', '1.000000', ALICE_KEY)], []));
  assert.deepEqual(
    [at(told, 'refusal.data.name'), at(told, 'refusal_when_signed')],
    ['missing_active_authority', null],
  );
  const own = await check(await made([transfer('alice', 'bob', '1.000000', ALICE_KEY)], ['alice']));
  assert.deepEqual(
    [at(own, 'refusal.data.name'), at(own, 'refusal_when_signed.data.name'), at(own, 'balances')],
    ['memo_is_owner_key', 'memo_is_owner_key', []],
  );
  assert.ok(!JSON.stringify(own).includes(ALICE_KEY));
});

test('a check warns of an authority that nothing can satisfy, of one in a circle, and of accounts that do not exist', async () => {
  const warned = async (account_auths: readonly Json[], key_auths: readonly Json[] = []): Promise<readonly Json[]> => {
    const active = { weight_threshold: 1, account_auths, key_auths };
    const memo_key = 'PHR1111111111111111111111111111111114T1Anm';
    const update = ['account_update', { fee: '0.000000 COIN', account: 'alice', active, memo_key, json_metadata: '' }];
    return listMember(await check(await made([update], [])), 'warnings');
  };
  const own = at(
    await program.result('alexandria_api.get_account', { account_name: 'alice' }),
    'account.0.active.key_auths.0.0',
  );
  assert.deepEqual(await warned([['bob', 1]]), []);
  for (const [accounts, keys, problem, impossible, path] of [
    [[], [], 'empty', true, []],
    [[['alice', 1]], [], 'circle', true, ['alice', 'alice']],
    [[['alice', 1]], [[own, 1]], 'circle', false, ['alice', 'alice']],
    [[['nobody', 1]], [], 'unknown_account', true, ['alice', 'nobody']],
  ] as const) {
    const [warning = null, ...more] = await warned(accounts, keys);
    assert.deepEqual(more, []);
    const { message, ...told } = requireObject(warning);
    assert.deepEqual(told, { account: 'alice', role: 'active', problem, impossible, path: [...path] });
    assert.match(String(message), /^(?:nothing can satisfy )?the new active authority of "alice"/);
  }
});

test('what is pending counts: of the same transaction twice the second is told as a duplicate', async () => {
  const trx = await payment(['alice'], '0.000007');
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
  assert.equal(at(await check(trx), 'refusal.data.name'), 'duplicate_transaction');
});

test('however many are checked at once, nothing of it is in a block, and blocks come on', inLongForm, async () => {
  const accounts = async (): Promise<Json> =>
    await program.result('database_api.list_accounts', { start: '', limit: 1000, order: 'by_name' });
  const twoBlocks = async (first: number): Promise<number> =>
    await waitUntil('two more blocks', async () => {
      const { number } = await program.health();
      return number >= first + 2 ? number : undefined;
    });
  // What was sent before is in a block then.
  await twoBlocks((await program.health()).number);
  const [records, first] = [await accounts(), (await program.health()).number];
  const tx = await payment(['alice']);
  const params = { tx };
  const batches = Array.from(
    { length: 5 },
    async () => await program.batch(Array.from({ length: 100 }, () => ({ method: CHECK, params }))),
  );
  const answers = (await Promise.all(batches)).flat();
  const refused = answers.filter((answer) => optionalMember(answer, 'error') !== undefined);
  // An address has 128 places; how many more find one depends on the machine.
  assert.ok(
    refused.every((answer) => at(answer, 'error.data.name') === 'too_busy'),
    JSON.stringify(refused[0]),
  );
  assert.ok(answers.length - refused.length >= 128, `${answers.length - refused.length}`);
  for (const answer of answers) if (!refused.includes(answer)) assert.equal(at(answer, 'result.check.refusal'), null);
  const last = await twoBlocks(first);
  for (let num = first + 1; num <= last; num++) {
    assert.deepEqual(at(await program.result('alexandria_api.get_block', { num }), 'block.transactions'), []);
  }
  assert.deepEqual(await accounts(), records);
  // And it can still be sent.
  assert.ok(numberMember(await program.result(SENDING, { tx }), 'tx.block_num') > first);
});

test('over a WebSocket, and to the old form of call, a check is the same', async () => {
  const tx = { ...requireObject(await payment([])), expiration: timeText(Math.trunc(Date.now() / 1000) - 86_400) };
  const socket = await program.socket();
  const told = at(await socket.call(CHECK, { tx }), 'result.check');
  assert.equal(at(told, 'refusal_when_signed.data.name'), 'transaction_expired');
  const old: Json = JSON.parse(
    (await program.raw(JSON.stringify({ id: 1, method: 'check_transaction', params: [tx] }))).body,
  );
  assert.equal(at(old, 'result.refusal_when_signed.data.name'), 'transaction_expired');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: CHECK, params: {} }));
  assert.equal(at(JSON.parse(await socket.next()), 'error.code'), -32602);
  socket.close();
});
