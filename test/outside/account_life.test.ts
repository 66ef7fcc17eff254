import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import {
  fetchBalance,
  fetchChainId,
  signingDigest,
  requireObject,
  testSecret,
  send,
  sign,
  signed,
  makeTransaction,
  transfer,
  unsignedBytes,
  verifies,
} from './signer.ts';
import { Site } from './site.ts';

const site = new Site();
let program: Program;

before(async () => {
  program = await site.dev('--fresh', '--list-accounts');
});

after(() => site.clear());

const FEE = 10_000n; // the base fee, in millionths

async function fetchKey(name: string): Promise<string> {
  const record =
    listMember(await program.result('alexandria_api.get_account', { account_name: name }), 'account')[0] ?? null;
  return textMember(record, 'memo_key');
}

/** A new account with the keys of `keyName`; its name follows from the seed. */
async function createAccount(seed: string, keyName: string): Promise<string> {
  const key = await fetchKey(keyName);
  const built = await program.result('alexandria_api.create_account', {
    creator: 'alice',
    name_seed: seed,
    json_meta: '{}',
    owner: key,
    active: key,
    memo: key,
  });
  await send(program, [at(built, 'op')], 'alice');
  return textMember(await program.result('alexandria_api.get_account_name_from_seed', { seed }), 'account_name');
}

test('an account is created, gets a transfer, pays from it, and all of it can be read back', async () => {
  const name = await createAccount('a newcomer', 'bob');
  assert.equal(at(await program.result('alexandria_api.account_exist', { account_name: name }), 'account_exist'), true);
  assert.equal(await fetchBalance(program, name), 0n);

  const { id, block, place } = await send(program, [transfer('alice', name, '12.500000', 'welcome')], 'alice');
  assert.equal(await fetchBalance(program, name), 12_500_000n);
  await send(program, [transfer(name, 'bob', '2.000000')], 'bob');
  assert.equal(await fetchBalance(program, name), 10_500_000n - FEE);

  const body = { fee: '0.010000 COIN', from: 'alice', to: name, amount: '12.500000 COIN', memo: 'welcome' };
  const read = await program.result('alexandria_api.get_transaction', { tx_id: id });
  assert.deepEqual(at(read, 'tx.operations'), [['transfer', body]]);
  assert.equal(at(read, 'tx.block_num'), block);
  assert.equal(at(read, 'tx.transaction_num'), place);

  const stored = await program.result('alexandria_api.get_block', { num: block });
  assert.equal(listMember(stored, 'block.transaction_ids')[place], id);
  assert.deepEqual(at(listMember(stored, 'block.transactions')[place] ?? null, 'operations'), [['transfer', body]]);
  assert.equal(at(stored, 'block.witness'), 'initminer');

  const { account_history: history } = requireObject(
    await program.result('alexandria_api.get_account_history', { account: name, start: -1, limit: 10 }),
  );
  const entries = listMember({ history: history ?? null }, 'history').map((entry) => [
    at(entry, '0'),
    at(entry, '1.op.0'),
    at(entry, '1.block'),
  ]);
  assert.deepEqual(
    entries.map(([sequence, kind]) => [sequence, kind]),
    [
      [0, 'account_create'],
      [1, 'transfer'],
      [2, 'transfer'],
    ],
  );
  assert.equal(entries[1]?.[2], block);

  const operations = listMember(
    await program.result('alexandria_api.get_ops_in_block', { block_num: block, only_virtual: false }),
    'ops_in_block',
  );
  assert(operations.some((entry) => at(entry, 'trx_id') === id && at(entry, 'op.1.memo') === 'welcome'));
});

test('blocks are linked by their ids, which begin with their numbers', async () => {
  await send(program, [transfer('carol', 'dave', '0.000001', 'for one more block')], 'carol');
  const head = numberMember(await program.result('alexandria_api.info'), 'info.head_block_number');
  const blocks = await program.batch(
    Array.from({ length: head }, (_, index) => ({
      method: 'alexandria_api.get_block',
      params: { num: index + 1 },
    })).slice(0, 100),
  );
  let previous = '0'.repeat(40);
  blocks.forEach((answer, index) => {
    const id = textMember(answer, 'result.block.block_id');
    assert.equal(textMember(answer, 'result.block.previous'), previous);
    assert.equal(Number.parseInt(id.slice(0, 8), 16), index + 1);
    previous = id;
  });
});

test('a transaction is signed without the node: its digest is the sha256 of chain id and bytes', async () => {
  const transaction = await makeTransaction(program, [transfer('alice', 'bob', '1.000000', 'signed at home')]);
  const unsigned = await unsignedBytes(program, transaction);
  const digest = signingDigest(await fetchChainId(program), unsigned);
  assert.equal(
    at(await program.result('alexandria_api.get_transaction_digest', { tx: transaction }), 'tx_digest'),
    digest.toString('hex'),
  );

  const ownId = createHash('sha256').update(unsigned).digest('hex').slice(0, 40);
  assert.equal(at(await program.result('alexandria_api.get_transaction_id', { tx: transaction }), 'tx_id'), ownId);

  const signature = sign(digest, testSecret('alice'));
  const added = await program.result('alexandria_api.add_signature', { tx: transaction, signature });
  assert.deepEqual(at(added, 'signed_tx.signatures'), [signature]);
  const sent = await program.result('alexandria_api.broadcast_transaction', { tx: at(added, 'signed_tx') });
  assert.equal(at(sent, 'tx.transaction_id'), ownId);
  assert(numberMember(sent, 'tx.block_num') > 0);
});

test('the node finds the key behind a signature, and signs digests as anybody else would verify them', async () => {
  const digest = createHash('sha256').update('some digest').digest();
  const pub_key = await fetchKey('alice');
  const verify = async (signature: string): Promise<Json> =>
    at(
      await program.result('alexandria_api.verify_signature', { digest: digest.toString('hex'), pub_key, signature }),
      'signature_valid',
    );
  assert.equal(await verify(sign(digest, testSecret('alice'))), true);
  assert.equal(await verify(sign(digest, testSecret('bob'))), false);

  const made = await program.result('alexandria_api.sign_digest', {
    digest: digest.toString('hex'),
    pk: findWif('alice'),
  });
  assert(verifies(textMember(made, 'signed_digest'), digest, testSecret('alice')));
});

test('a private key handed to the node signs and sends on its own', async () => {
  const balance = await fetchBalance(program, 'erin');
  const sent = await program.result('alexandria_api.send_and_sign_operation', {
    op: transfer('frank', 'erin', '3.000000'),
    pk: findWif('frank'),
  });
  assert(numberMember(sent, 'signed_tx.block_num') > 0);
  assert.equal(await fetchBalance(program, 'erin'), balance + 3_000_000n);
});

test('the accepted and not yet committed state is shown to those who ask for it', async () => {
  const trx = await signed(program, await makeTransaction(program, [transfer('grace', 'heidi', '5.000000')]), 'grace');
  const balance = await fetchBalance(program, 'heidi');
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
  const pending = await program.result('alexandria_api.get_account', { account_name: 'heidi', pending: true });
  assert.equal(textMember(listMember(pending, 'account')[0] ?? null, 'balance'), coinText(balance + 5_000_000n));
});

test('several operations of one transaction are applied together or not at all', async () => {
  const [ivan, judy] = [await fetchBalance(program, 'ivan'), await fetchBalance(program, 'judy')];
  await send(program, [transfer('ivan', 'judy', '1.000000'), transfer('judy', 'ivan', '0.250000')], 'ivan', 'judy');
  assert.equal(await fetchBalance(program, 'ivan'), ivan - 750_000n - FEE);
  assert.equal(await fetchBalance(program, 'judy'), judy + 750_000n - FEE);

  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('ivan', 'judy', '1.000000'), transfer('ivan', 'judy', '99000000.000000')]),
    'ivan',
  );
  const { name } = await program.refusal('network_broadcast_api.broadcast_transaction_synchronous', { trx });
  assert.equal(name, 'insufficient_funds');
  assert.equal(await fetchBalance(program, 'ivan'), ivan - 750_000n - FEE);
});

test('unknown things are answered as such', async () => {
  assert.equal(
    optionalMember(await program.result('alexandria_api.get_block', { num: 4_000_000_000 }), 'block'),
    undefined,
  );
  assert.equal(
    at(await program.result('alexandria_api.account_exist', { account_name: 'nobody-here' }), 'account_exist'),
    false,
  );
  const { code, message } = await program.refusal('alexandria_api.get_account', { account_name: 'nobody-here' });
  assert.equal(code, -32003);
  assert.equal(message, 'no account is named nobody-here, and none was made from that seed');
});

function coinText(millionths: bigint): string {
  const digits = millionths.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)} COIN`;
}

/** The text form of a secret: what `pharos dev` prints beside the account. */
function findWif(name: string): string {
  const line =
    program.stdout.split('\n').find((text) => text.trim().startsWith(`${name} `)) ??
    assert.fail(`${name} is not on the banner`);
  return line.trim().split(/\s+/)[1] ?? '';
}
