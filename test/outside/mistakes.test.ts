import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertSentence } from '../builders/sentences.ts';
import { commonChain } from './common_chain.ts';
import { at, textMember, type Json } from './json.ts';
import type { Program, Refused } from './program.ts';
import {
  fetchChainId,
  signingDigest,
  requireObject,
  testSecret,
  sign,
  signed,
  signedWithMemo,
  makeTransaction,
  unsignedBytes,
} from './signer.ts';

// A newcomer makes mistakes. Each answer names the wrong value and says what to do.

type Members = { readonly [member: string]: Json };

const ALICE = 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv';
const BOB = 'PHR5VE6Dgy9FUmd1mFotXwF88HkQN1KysCWLPqpVnDMjRvGRi1YrM';

let program: Program;

before(async () => {
  program = await commonChain();
});

/** A payment with something in it that is wrong. */
function payment(changes: Members): Json {
  return [
    'transfer',
    { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '', ...changes },
  ];
}

/** A transaction with these operations on top of the head, unsigned. */
async function unsigned(operation: Json = payment({}), secondsToLive?: number): Promise<Members> {
  const right = await makeTransaction(program, [payment({})], secondsToLive);
  return { ...right, operations: [operation], signatures: [] };
}

/** The answer to a payment with something wrong in it, which its sender has signed. */
async function broadcastChanged(changes: Members): Promise<Refused> {
  return await told(await signed(program, await unsigned(payment(changes)), 'alice'));
}

/** The answer to a transaction. */
async function told(trx: Json): Promise<Refused> {
  return await program.refusal('network_broadcast_api.broadcast_transaction', { trx });
}

/** The answer is this sentence, and the sentence is for people. */
function assertTells({ message }: Refused, expected: string): void {
  assert.equal(message, expected);
  assertSentence(message);
}

test('an account that there is not', async () => {
  const asked = await program.refusal('alexandria_api.get_account', { account_name: 'dave9' });
  assertTells(asked, 'no account is named dave9, and none was made from that seed');
  assertTells(await broadcastChanged({ to: 'dave9' }), 'no account is named dave9');
});

test('an amount in another symbol', async () => {
  assertTells(await broadcastChanged({ amount: '1.000000 COYN' }), 'an amount in COIN expected, got 1.000000 COYN');
  const vests = '1.000000 VESTS are vesting shares, which cannot be transferred; an amount in COIN can';
  assertTells(await broadcastChanged({ amount: '1.000000 VESTS' }), vests);
});

test('an amount that is none', async () => {
  const of = async (amount: Json): Promise<Refused> => await told(await unsigned(payment({ amount })));
  const start = 'Invalid params: trx.operations[0][1].amount: ';
  const end = (amount: string): string => `such as "1.000000 COIN" expected, got ${JSON.stringify(amount)}`;
  assertTells(await of('1COIN'), `${start}a blank between amount and symbol, ${end('1COIN')}`);
  assertTells(await of('1.000000'), `${start}a symbol behind the amount, ${end('1.000000')}`);
  assertTells(await of('1,5 COIN'), `${start}an amount with a point, without commas, ${end('1,5 COIN')}`);
});

test('an amount with too many decimals', async () => {
  const answer = await told(await unsigned(payment({ amount: '1.0000001 COIN' })));
  const expected = 'an amount of at most six decimals such as "1.000000 COIN" expected, got "1.0000001 COIN"';
  assertTells(answer, `Invalid params: trx.operations[0][1].amount: ${expected}`);
});

test('a fee that is too low', async () => {
  assertTells(
    await broadcastChanged({ fee: '0.001000 COIN' }),
    'fee of at least 0.010000 COIN expected, got 0.001000 COIN',
  );
});

test('a fee in a symbol that is unknown, or has no price', async () => {
  assertTells(
    await broadcastChanged({ fee: '0.010000 COYN' }),
    'a fee cannot be paid in COYN; offer one in COIN, USD, EUR, CHF, CNY, GBP',
  );
  assertTells(
    await broadcastChanged({ fee: '0.010000 USD' }),
    'the witnesses have not agreed on a price of USD yet; pay in COIN',
  );
});

test('a signature for another chain, and one by another key', async () => {
  const trx = await unsigned();
  const chainId = await fetchChainId(program);
  const scriptAnswer = (signers: string): string =>
    `the active authority of alice is missing: it asks for a signature by ${ALICE}, and the transaction is signed by ${signers}; ` +
    `if you signed with another key than that, you signed other bytes than data.transaction_hex, or for another chain than ${chainId}`;
  const elsewhere = sign(signingDigest('ab'.repeat(32), await unsignedBytes(program, trx)), testSecret('alice'));
  const { message, ...answer } = await told({ ...trx, signatures: [elsewhere] });
  const [stranger] = /PHR\w+(?=;)/.exec(message) ?? assert.fail(message);
  assert.notEqual(stranger, ALICE);
  assertTells({ message, ...answer }, scriptAnswer(stranger));
  assert.equal(
    textMember(answer.data, 'transaction_hex').startsWith((await unsignedBytes(program, trx)).toString('hex')),
    true,
  );
  assertTells(await told(await signed(program, trx, 'bob')), scriptAnswer(BOB));
});

test('no signature', async () => {
  const expected = `the transaction has no signature, and the active authority of alice asks for a signature by ${ALICE}`;
  assertTells(await told(await unsigned()), expected);
});

test('a transaction that has expired, and one that expires too late', async () => {
  const late = await told(await signed(program, await unsigned(payment({}), -1), 'alice'));
  const [expiration, headTime] = [textMember(late.data, 'expiration'), textMember(late.data, 'head_time')];
  assertTells(
    late,
    `the transaction expired at ${expiration}, and it is ${headTime} on the chain; sign it again with a later expiration`,
  );
  const far = await told(await signed(program, await unsigned(payment({}), 100_000), 'alice'));
  const { data } = far;
  const [expires, head, latest] = ['expiration', 'head_time', 'latest'].map((member) => textMember(data, member));
  const times = `expires at ${expires}, more than 3600 seconds after ${head}, which it is on the chain`;
  assertTells(far, `the transaction ${times}; choose ${latest} or earlier`);
  assert.equal(Date.parse(`${latest}Z`) - Date.parse(`${head}Z`), 3_600_000);
});

test('an amount of nothing', async () => {
  assertTells(await broadcastChanged({ amount: '0.000000 COIN' }), 'an amount above 0 expected, got 0.000000 COIN');
});

test('more than there is', async () => {
  const answer = await broadcastChanged({ amount: '999999999.000000 COIN' });
  assertTells(
    answer,
    `alice has ${textMember(answer.data, 'balance')}, less than the 999999999.000000 COIN that it sends: send less, or fund alice first`,
  );
  assert.match(textMember(answer.data, 'balance'), /^\d+\.\d{6} COIN$/);
});

test('a memo that is too long, when it is packed, when its fee is asked for and when it is sent', async () => {
  const expected = 'the memo has 3000 bytes; at most 2047 are taken';
  const memo = 'm'.repeat(3000);
  const trx = await signedWithMemo(program, await unsigned(), memo, 'alice');
  const packed = await program.refusal('database_api.get_transaction_hex', { trx });
  const priced = await program.refusal('alexandria_api.calculate_fee', { op: payment({ memo }), symbol: 'COIN' });
  const built = await program.refusal('alexandria_api.create_transaction', { op_vec: [payment({ memo })] });
  const sent = await told(trx);
  for (const refused of [packed, priced, built, sent]) assertTells(refused, expected);
  assert.deepEqual([...new Set([packed, priced, built, sent].map(({ name }) => name))], ['memo_too_large']);
});

test('the same transaction twice', async () => {
  const trx = await signed(program, await unsigned(payment({ memo: 'twice' })), 'alice');
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
  const id = textMember(await program.result('alexandria_api.get_transaction_id', { tx: trx }), 'tx_id');
  const advice = 'to do the same once more, give the next one another expiration';
  assertTells(await told(trx), `transaction ${id} was sent before; ${advice}`);
});

test('a reference to a block that is not of this chain', async () => {
  const trx: Members = { ...(await unsigned()), ref_block_prefix: 1 };
  const answer = await told(await signed(program, trx, 'alice'));
  const named = `ref_block_num ${String(at(trx, 'ref_block_num'))} and ref_block_prefix 1`;
  const head = textMember(answer.data, 'head_block');
  assertTells(
    answer,
    `no recent block of this chain is the one that ${named} name; take both from the head block, which is ${head}`,
  );
  assert.match(head, /^[0-9a-f]{40}$/);
});

test('what can be no account name', async () => {
  const answer = await told(await unsigned(payment({ to: 'bob smith' })));
  const expected = '"bob smith" is no account name: character 4 is " ", and names have A-Z a-z 0-9 - _ only';
  assertTells(answer, `Invalid params: trx.operations[0][1].to: ${expected}`);
});

test('an operation that there is not', async () => {
  const near = 'Invalid params: trx.operations[0][0]: there is no operation "transfr"; did you mean transfer?';
  assertTells(await told(await unsigned(['transfr', {}])), near);
  const { message } = await told(await unsigned(['give_away', {}]));
  assert.match(
    message,
    /^Invalid params: trx\.operations\[0\]\[0\]: there is no operation "give_away"; there are transfer, transfer_to_vesting, /,
  );
});

test('a method that there is not', async () => {
  const params = { account_name: 'alice' };
  const near = 'did you mean alexandria_api.get_account?';
  assertTells(
    await program.refusal('alexandria_api.get_acount', params),
    `there is no method alexandria_api.get_acount; ${near}`,
  );
  assertTells(
    await program.refusal('condenser_api.get_account', params),
    `there is no method condenser_api.get_account; ${near}`,
  );
  assertTells(
    await program.refusal('eth_getBalance.latest', {}),
    'there is no method eth_getBalance.latest; jsonrpc.get_methods lists all',
  );
});

test('params that are no object', async () => {
  const expected = 'params are an object with named members (account_name, pending), got "alice"';
  assertTells(await program.refusal('alexandria_api.get_account', 'alice'), `Invalid params: ${expected}`);
});

test('a member that there is not, in params and in an operation', async () => {
  const params = await program.refusal('alexandria_api.get_account', { name: 'alice' });
  assertTells(params, 'Invalid params: unknown member "name"; known are: account_name, pending');
  const operation = await told(await unsigned(payment({ recipient: 'bob' })));
  assertTells(
    operation,
    'Invalid params: trx.operations[0][1].recipient: unknown member; known are fee, from, to, amount, memo',
  );
});

test('a private key where a public one is asked for is not repeated', async () => {
  const secret = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
  const answers = [
    await program.refusal('account_by_key_api.get_key_references', { keys: [secret] }),
    await program.refusal('alexandria_api.get_public_key', secret),
  ];
  const [first] = answers;
  assertTells(
    first ?? assert.fail(),
    'Invalid params: keys[0]: a public key that starts with PHR expected, got a private key',
  );
  for (const answer of answers)
    assert.ok(!JSON.stringify(requireObject(answer.data)).includes(secret) && !answer.message.includes(secret));
});

test('the lineage’s text stands beside each sentence that it had one for, and old clients get nothing else', async () => {
  const { data } = await program.refusal('alexandria_api.get_account', { account_name: 'dave9' });
  assert.equal(at(data, 'lineage'), 'Assert Exception:!accounts.empty(): Unknown account');
  assert.equal(at((await broadcastChanged({ to: 'dave9' })).data, 'lineage'), 'unknown key:unknown key');
  const old = await program.refusal('get_account', ['dave9']);
  assert.equal(old.message, '10 assert_exception: Assert Exception\n!accounts.empty(): Unknown account');
});
