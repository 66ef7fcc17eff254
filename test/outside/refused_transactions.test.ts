import assert from 'node:assert/strict';
import { before, beforeEach, afterEach, test } from 'node:test';
import { commonChain } from './common_chain.ts';
import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import type { Program, Refused } from './program.ts';
import {
  fetchBalance,
  fetchChainId,
  signingDigest,
  requireObject,
  testSecret,
  send,
  sign,
  signed,
  signedWithMemo,
  timeText,
  makeTransaction,
  transfer,
  unsignedBytes,
} from './signer.ts';
import { waitUntil } from './wait_until.ts';

let program: Program;
let records: Json;
let firstBlock: number;

before(async () => {
  program = await commonChain();
});

/** All accounts as they are shown, and how far the chain is. */
async function accountRecords(): Promise<Json> {
  return await program.result('database_api.list_accounts', { start: '', limit: 1000, order: 'by_name' });
}

beforeEach(async () => {
  records = await accountRecords();
  firstBlock = (await program.health()).number;
});

/**
 * Checks that refused transactions have changed no account, neither in the state nor in the pending one, and are in no
 * block.
 */
afterEach(async () => {
  const number = await waitUntil('one more block', async () => {
    const { number: head } = await program.health();
    return head > firstBlock ? head : undefined;
  });
  assert.deepEqual(await accountRecords(), records);
  for (let block = firstBlock + 1; block <= number; block++) {
    assert.deepEqual(at(await program.result('alexandria_api.get_block', { num: block }), 'block.transactions'), []);
  }
});

const payment = transfer('alice', 'bob', '1.000000');

/** The members of a refusal that hold the chain's time. */
const TIMES = ['head_time', 'latest'];

function withoutTimes({ name, code, message, data }: Refused): Json {
  const details = requireObject(data);
  const others = Object.fromEntries(Object.entries(details).filter(([member]) => !TIMES.includes(member)));
  const text = TIMES.reduce((rest, member) => rest.replaceAll(String(details[member]), ''), message);
  return { name, code, message: text, data: others };
}

/** Asks again if a block came meanwhile: a refusal may name the head. */
async function atOneHead<T>(ask: () => Promise<readonly [T, T]>): Promise<readonly [T, T]> {
  for (;;) {
    const { number } = await program.health();
    const answers = await ask();
    if ((await program.health()).number === number) return answers;
  }
}

/** The refusal of a transaction, which must be the same whether one waits for the block or not. */
async function broadcastRefusal(trx: Json): Promise<Refused> {
  const [refusal, waiting] = await atOneHead(async () => [
    await program.refusal('network_broadcast_api.broadcast_transaction', { trx }),
    await program.refusal('network_broadcast_api.broadcast_transaction_synchronous', { trx }),
  ]);
  assert.deepEqual(withoutTimes(waiting), withoutTimes(refusal));
  const { name } = await program.refusal('alexandria_api.broadcast_transaction', { tx: trx });
  assert.equal(name, refusal.name);
  return refusal;
}

test('a missing signature is refused with the account that misses it', async () => {
  const { code, name, message, data } = await broadcastRefusal(await makeTransaction(program, [payment]));
  assert.deepEqual(
    [code, name, at(data, 'id'), at(data, 'code')],
    [-32000, 'missing_active_authority', 'alice', 3_010_000],
  );
  assert.match(
    message,
    /^the transaction has no signature, and the active authority of alice asks for a signature by PHR/,
  );
});

test('whoever signs wrongly is told what was missing, which keys did sign, the digest to sign and the bytes that came', async () => {
  const trx = await signed(program, await makeTransaction(program, [payment]), 'bob');
  const account = await program.result('alexandria_api.get_account', { account_name: 'bob' });
  const { data } = await broadcastRefusal(trx);
  assert.equal(at(data, 'id'), 'alice');
  assert.deepEqual(at(data, 'signers'), [at(account, 'account.0.memo_key')]);
  assert.equal(
    at(data, 'digest'),
    signingDigest(await fetchChainId(program), await unsignedBytes(program, trx)).toString('hex'),
  );
  assert.equal(
    at(data, 'transaction_hex'),
    at(await program.result('database_api.get_transaction_hex', { trx }), 'hex'),
  );
  assert.deepEqual(await program.result('database_api.verify_authority', { trx }), { valid: false });
});

test('a memo that gives a key of its sender away is refused, in whatever way it is sent, and is not shown', async () => {
  // The text of the key, as the banner of a development chain shows it.
  const memo = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
  const refused = await broadcastRefusal(
    await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '1.000000', memo)]), 'alice'),
  );
  assert.deepEqual([refused.code, refused.name, at(refused.data, 'code')], [-32000, 'memo_is_owner_key', 4_100_000]);
  assert.match(
    refused.message,
    /^the memo contains the private owner key of alice, or is its password; nothing was published/,
  );
  assert.ok(!JSON.stringify(refused).includes(memo));
});

test('the signature of somebody else is refused', async () => {
  const { name, data } = await broadcastRefusal(
    await signed(program, await makeTransaction(program, [payment]), 'bob'),
  );
  assert.deepEqual(
    [name, at(data, 'id'), listMember(data, 'signers').length],
    ['missing_active_authority', 'alice', 1],
  );
});

test('a signature of other bytes is a wrong signature', async () => {
  const trx = await signed(program, await makeTransaction(program, [payment]), 'alice');
  const { name } = await broadcastRefusal({
    ...trx,
    expiration: timeText(Date.parse(`${textMember(trx, 'expiration')}Z`) / 1000 - 1),
  });
  assert.equal(name, 'missing_active_authority');
});

test('a signature for another chain is a wrong signature', async () => {
  const transaction = await makeTransaction(program, [payment]);
  const digest = signingDigest('00'.repeat(32), await unsignedBytes(program, transaction));
  const { name } = await broadcastRefusal({ ...transaction, signatures: [sign(digest, testSecret('alice'))] });
  assert.equal(name, 'missing_active_authority');
});

test('a signature that no key can have made is refused', async () => {
  const transaction = await makeTransaction(program, [payment]);
  for (const signature of ['1f' + '00'.repeat(64), '1f' + 'ff'.repeat(64), '00'.repeat(65), 'ff'.repeat(65)]) {
    const { code, name } = await broadcastRefusal({ ...transaction, signatures: [signature] });
    assert.equal(code, -32000);
    assert.notEqual(name, '');
    assert.notEqual(name, 'internal_error');
  }
});

test('a signature whose s is out of range is refused', async () => {
  const transaction = await makeTransaction(program, [payment]);
  const signature = sign(
    signingDigest(await fetchChainId(program), await unsignedBytes(program, transaction)),
    testSecret('alice'),
  );
  for (const s of ['00'.repeat(32), 'ff'.repeat(32)]) {
    const { name } = await broadcastRefusal({ ...transaction, signatures: [signature.slice(0, 66) + s] });
    assert.equal(name, 'signature_not_canonical');
  }
});

test('one signature too many is refused', async () => {
  const { name, data } = await broadcastRefusal(
    await signed(program, await makeTransaction(program, [payment]), 'alice', 'bob'),
  );
  assert.deepEqual([name, at(data, 'code')], ['irrelevant_signature', 3_050_000]);
});

test('the same signature twice is refused', async () => {
  const { name, data } = await broadcastRefusal(
    await signed(program, await makeTransaction(program, [payment]), 'alice', 'alice'),
  );
  assert.deepEqual([name, at(data, 'code')], ['duplicate_signature', 3_060_000]);
});

test('an expired transaction is refused, or was in vain to those who wait for its block', async () => {
  const transaction = await makeTransaction(program, [payment], -1);
  const trx = await signed(program, transaction, 'alice');
  const { name, data, message } = await program.refusal('network_broadcast_api.broadcast_transaction', { trx });
  assert.equal(name, 'transaction_expired');
  assert.equal(at(data, 'expiration'), at(transaction, 'expiration'));
  assert(textMember(data, 'expiration') < textMember(data, 'head_time'));
  const times = `at ${textMember(data, 'expiration')}, and it is ${textMember(data, 'head_time')} on the chain`;
  assert.equal(message, `the transaction expired ${times}; sign it again with a later expiration`);
  assert.equal(
    (await program.refusal('alexandria_api.broadcast_transaction', { tx: trx })).name,
    'transaction_expired',
  );
  const id = at(await program.result('alexandria_api.get_transaction_id', { tx: trx }), 'tx_id');
  const waited = await program.result('network_broadcast_api.broadcast_transaction_synchronous', {
    trx,
    max_block_age: -1,
  });
  assert.deepEqual(waited, { id, block_num: -1, trx_num: -1, expired: true });
});

test('a transaction that could wait for more than an hour is refused', async () => {
  const { name, message } = await broadcastRefusal(
    await signed(program, await makeTransaction(program, [payment], 100_000), 'alice'),
  );
  assert.equal(name, 'expiration_too_far');
  assert.match(
    message,
    /^the transaction expires at .{19}, more than 3600 seconds after .{19}, which it is on the chain; choose .{19} or earlier$/,
  );
});

test('a transaction on top of a block that is not in this chain is refused', async () => {
  const transaction = await makeTransaction(program, [payment]);
  const other = { ...transaction, ref_block_prefix: (numberMember(transaction, 'ref_block_prefix') ^ 1) >>> 0 };
  assert.equal((await broadcastRefusal(await signed(program, other, 'alice'))).name, 'unknown_reference_block');
  const never = { ...transaction, ref_block_num: 65_000 };
  assert.equal((await broadcastRefusal(await signed(program, never, 'alice'))).name, 'unknown_reference_block');
});

test('a transaction without operations is refused', async () => {
  const transaction = await makeTransaction(program, [payment]);
  assert.equal((await broadcastRefusal({ ...transaction, operations: [] })).name, 'no_operations');
});

test('a fee below what the operation costs is refused, and so is one in a symbol that has no price', async () => {
  const withFee = async (fee: string): Promise<Json> => {
    const transaction = await makeTransaction(program, [payment]);
    const operations = [['transfer', { fee, from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]];
    return await signed(program, { ...transaction, operations }, 'alice');
  };
  assert.deepEqual(feeRefusal(await broadcastRefusal(await withFee('0.009999 COIN'))), [
    'fee_too_small',
    '0.010000 COIN',
    '0.009999 COIN',
  ]);
  assert.deepEqual(feeRefusal(await broadcastRefusal(await withFee('0.000000 COIN'))), [
    'fee_too_small',
    '0.010000 COIN',
    '0.000000 COIN',
  ]);
  assert.equal((await broadcastRefusal(await withFee('1.000000 VESTS'))).name, 'fee_symbol');
  assert.match((await broadcastRefusal(await withFee('1.000000 USD'))).name, /^(?:no_price|symbol_history_not_found)$/);
});

function feeRefusal({ name, data }: Refused): unknown[] {
  return [name, at(data, 'required'), at(data, 'offered')];
}

test('more than the balance is refused, to the last millionth', async () => {
  const balance = await fetchBalance(program, 'carol');
  const fee = 10_000n;
  const text = (amount: bigint): string => `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`;
  const { name } = await broadcastRefusal(
    await signed(
      program,
      await makeTransaction(program, [transfer('carol', 'dave', text(balance - fee + 1n))]),
      'carol',
    ),
  );
  assert.equal(name, 'insufficient_funds');
});

test('a transfer to nobody, of nothing, or of something else is refused', async () => {
  const transaction = await makeTransaction(program, [payment]);
  const refusedTransfer = async (members: { readonly [name: string]: Json }): Promise<string> => {
    const body = { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '', ...members };
    return (
      await broadcastRefusal(await signed(program, { ...transaction, operations: [['transfer', body]] }, 'alice'))
    ).name;
  };
  const names = [
    await refusedTransfer({ to: 'nobody-here' }),
    await refusedTransfer({ amount: '0.000000 COIN' }),
    await refusedTransfer({ amount: '1.000000 VESTS' }),
    (await broadcastRefusal(await signedWithMemo(program, transaction, 'm'.repeat(2048), 'alice'))).name,
  ];
  assert.equal(new Set(names).size, 4, `four different reasons: ${names.join()}`);
});

test('a transaction of more than 8 KiB is refused', async () => {
  const key = textMember(
    listMember(await program.result('alexandria_api.get_account', { account_name: 'alice' }), 'account')[0] ?? null,
    'memo_key',
  );
  const big = await program.result('alexandria_api.create_account', {
    creator: 'alice',
    name_seed: 'big',
    json_meta: JSON.stringify('x'.repeat(8192)),
    owner: key,
    active: key,
    memo: key,
  });
  const { code, name } = await broadcastRefusal(
    await signed(program, await makeTransaction(program, [at(big, 'op')]), 'alice'),
  );
  assert.deepEqual([code, name], [-32003, 'transaction_too_big']);
});

test('sponsoring is refused where it makes no sense', async () => {
  const sponsorship = (sponsor: string, sponsored: string, is_sponsoring: boolean): Json => [
    'sponsor_fees',
    { fee: '0.000000 COIN', sponsor, sponsored, is_sponsoring },
  ];
  const end = await signed(program, await makeTransaction(program, [sponsorship('grace', 'heidi', false)]), 'grace');
  assert.equal((await broadcastRefusal(end)).name, 'not_sponsoring');
  const stranger = await signed(
    program,
    await makeTransaction(program, [sponsorship('grace', 'heidi', true)]),
    'heidi',
  );
  assert.equal((await broadcastRefusal(stranger)).name, 'missing_active_authority');
});

test('a replayed transaction is refused', async () => {
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'once')]),
    'alice',
  );
  const sent = await program.result('network_broadcast_api.broadcast_transaction_synchronous', { trx });
  records = await accountRecords();
  firstBlock = numberMember(sent, 'block_num');
  const { name, data } = await broadcastRefusal(trx);
  assert.deepEqual([name, at(data, 'id')], ['duplicate_transaction', at(sent, 'id')]);
});

test('a sponsor who cannot pay is passed over, and one who has not signed pays no more than it must', async () => {
  const key = textMember(
    listMember(await program.result('alexandria_api.get_account', { account_name: 'ivan' }), 'account')[0] ?? null,
    'memo_key',
  );
  const built = await program.result('alexandria_api.create_account', {
    creator: 'ivan',
    name_seed: 'poor sponsor',
    json_meta: '{}',
    owner: key,
    active: key,
    memo: key,
  });
  await send(program, [at(built, 'op')], 'ivan');
  const sponsor = textMember(
    await program.result('alexandria_api.get_account_name_from_seed', { seed: 'poor sponsor' }),
    'account_name',
  );
  await send(program, [transfer('ivan', sponsor, '0.009999')], 'ivan');
  await send(
    program,
    [['sponsor_fees', { fee: '0.000000 COIN', sponsor, sponsored: 'judy', is_sponsoring: true }]],
    'ivan',
  );
  const balanceOfJudy = async (): Promise<number> =>
    numberMember(
      await program.result('alexandria_api.get_account_balance', { account_name: 'judy' }),
      'account_balance',
    );
  const judyBefore = await balanceOfJudy();
  await send(program, [transfer('judy', 'ivan', '1.000000')], 'judy');
  assert.equal(judyBefore - (await balanceOfJudy()), 1_010_000);
  await send(program, [transfer('ivan', sponsor, '100.000000')], 'ivan');
  records = await accountRecords();
  firstBlock = (await program.health()).number;

  const greedy = ['transfer', { fee: '90.000000 COIN', from: 'judy', to: 'ivan', amount: '0.000001 COIN', memo: '' }];
  const { name, data } = await broadcastRefusal(
    await signed(program, { ...(await makeTransaction(program, [greedy])), operations: [greedy] }, 'judy'),
  );
  assert.deepEqual([name, at(data, 'payer')], ['fee_above_required', sponsor]);
  assert.equal(
    at(
      requireObject(
        listMember(await program.result('alexandria_api.get_account', { account_name: 'judy' }), 'account')[0] ?? null,
      ),
      'sponsoring_account',
    ),
    sponsor,
  );
});
