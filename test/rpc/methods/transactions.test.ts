import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/codec/json.ts';
import { testKeyText, testParameters } from '../../builders/chain.ts';
import { NodeOfMethods, type Answer } from './node_of_methods.ts';

const node = new NodeOfMethods();
const alice = {
  pk: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  key: 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv',
};
const bob = {
  pk: '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt',
  key: 'PHR5VE6Dgy9FUmd1mFotXwF88HkQN1KysCWLPqpVnDMjRvGRi1YrM',
};

async function build(memo: string): Promise<{ [member: string]: Json }> {
  const { op } = Object(
    await node.result('alexandria_api.transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo }),
  );
  assert.equal(op[1].fee, '0.000000 COIN');
  const { simple_tx } = Object(await node.result('alexandria_api.create_simple_transaction', { op }));
  assert.equal(simple_tx.operations[0][1].fee, '0.010000 COIN');
  assert.deepEqual(simple_tx.signatures, []);
  return simple_tx;
}

async function sign(tx: Json, pk: string): Promise<Json> {
  const { tx_digest } = Object(await node.result('alexandria_api.get_transaction_digest', { tx }));
  const { signed_digest } = Object(await node.result('alexandria_api.sign_digest', { digest: tx_digest, pk }));
  const { signed_tx } = Object(await node.result('alexandria_api.add_signature', { tx, signature: signed_digest }));
  return signed_tx;
}

test('the steps of a client: build, digest, sign, add, broadcast', async () => {
  const signed = await sign(await build('steps'), alice.pk);
  const { tx } = Object(await node.result('alexandria_api.broadcast_transaction', { tx: signed }));
  const { tx: found } = Object(await node.result('alexandria_api.get_transaction', { tx_id: tx.transaction_id }));
  assert.deepEqual(tx, found);
  assert.equal(tx.block_num, node.chain.head.number);
  // What was answered can be given back: members that only processing adds do not count.
  assert.deepEqual(await node.result('alexandria_api.get_transaction_id', { tx }), { tx_id: tx.transaction_id });
});

test('send_and_sign does it in one step', async () => {
  const { op } = Object(
    await node.result('alexandria_api.transfer', { from: 'bob', to: 'alice', amount: '2 COIN', memo: '' }),
  );
  const { signed_tx } = Object(await node.result('alexandria_api.send_and_sign_operation', { op, pk: bob.pk }));
  assert.equal(signed_tx.signatures.length, 1);
  assert.equal(signed_tx.transaction_num, 0);
  const { error } = await node.call('alexandria_api.send_and_sign_operation', { op, pk: 'no key' });
  assert.equal(error?.data?.['name'], 'malformed_private_key');
});

test('the synchronous broadcast names block and place, the other nothing', async () => {
  const trx = await sign(await build('synchronous'), alice.pk);
  const { tx_id } = Object(await node.result('alexandria_api.get_transaction_id', { tx: trx }));
  assert.deepEqual(await node.result('network_broadcast_api.broadcast_transaction_synchronous', { trx }), {
    id: tx_id,
    block_num: node.chain.head.number,
    trx_num: 0,
    expired: false,
  });
  const other = await sign(await build('asynchronous'), alice.pk);
  assert.deepEqual(
    await node.result('network_broadcast_api.broadcast_transaction', { trx: other, max_block_age: -1 }),
    {},
  );
});

test('a push tells of a refusal in its result', async () => {
  const tx = await sign(await build('pushed'), alice.pk);
  assert.deepEqual(await node.result('chain_api.push_transaction', tx), { success: true });
  const again = Object(await node.result('chain_api.push_transaction', tx));
  assert.equal(again.success, false);
  assert.match(again.error, /^10 duplicate_transaction: transaction [0-9a-f]{40} was sent before; /);
});

test('a transaction is valid with exactly the signatures that it needs', async () => {
  const tx = await build('authority');
  const verdict = async (trx: Json): Promise<unknown> =>
    Object(await node.result('database_api.verify_authority', { trx })).valid;
  assert.equal(await verdict(tx), false);
  const signed = await sign(tx, alice.pk);
  assert.equal(await verdict(signed), true);
  assert.equal(await verdict(await sign(tx, bob.pk)), false);
  assert.equal(await verdict(await sign(signed, bob.pk)), false);
  assert.equal(await verdict({ ...Object(signed), signatures: ['00'.repeat(65)] }), false);
  const keys = { available_keys: [bob.key, alice.key] };
  assert.deepEqual(await node.result('database_api.get_required_signatures', { trx: signed, ...keys }), {
    keys: [alice.key],
  });
  assert.deepEqual(await node.result('alexandria_api.get_required_signatures', { tx }), {
    required_signatures: [alice.key],
  });
});

test('a broadcast that misses signatures is told which, and by whom it is signed', async () => {
  const tx = await build('told');
  const told = async (trx: Json): Promise<Answer['error']> =>
    (await node.call('network_broadcast_api.broadcast_transaction', { trx, max_block_age: -1 })).error;
  const missing = await told(tx);
  assert.deepEqual([missing?.code, missing?.data?.['code']], [-32000, 3_010_000]);
  const unsigned = `the transaction has no signature, and the active authority of alice asks for a signature by ${alice.key}`;
  assert.equal(missing?.message, unsigned);
  assert.equal(missing.data?.['lineage'], 'missing required active authority:Missing Active Authority alice');
  const wrong = await told(await sign(tx, bob.pk));
  const start = `the active authority of alice is missing: it asks for a signature by ${alice.key}, and the transaction is signed by ${bob.key}; `;
  assert.ok(wrong?.message.startsWith(start), wrong?.message);
  const both = await told(await sign(await sign(tx, alice.pk), bob.pk));
  assert.equal(both?.message, `nothing in the transaction asks for a signature by ${bob.key}; leave it out`);
  assert.equal(both.data?.['lineage'], 'irrelevant signature included:Unnecessary signature(s) detected');
});

test('whose signatures are required the rules of the chain say', async () => {
  const props = { fee: '0.000000 COIN', owner: 'alice', props: [], extensions: [] };
  const tx = { ...(await build('')), operations: [['witness_set_properties', props]], signatures: [] };
  for (const rules of ['interface', 'lineage'] as const) {
    const of = new NodeOfMethods({ parameters: testParameters({ rules }), isEmpty: true });
    // Without the property `key` nobody can sign in the lineage.
    const required_signatures = rules === 'interface' ? [alice.key] : [];
    assert.deepEqual(await of.result('alexandria_api.get_required_signatures', { tx }), { required_signatures }, rules);
    assert.deepEqual(
      await of.result('database_api.get_required_signatures', { trx: tx, available_keys: [alice.key] }),
      { keys: required_signatures },
      rules,
    );
  }
});

test('of the keys that are available the minimal subset is to sign, and authorities that are spelt out are asked for, too', async () => {
  const keys = ['k1', 'k2'].map(testKeyText).toSorted();
  const heavy = {
    weight_threshold: 2,
    account_auths: [],
    key_auths: keys.map((key, index) => [key, index + 1]),
  } satisfies Json;
  const recovery = {
    fee: '0.000000 COIN',
    account_to_recover: 'alice',
    new_owner_authority: heavy,
    recent_owner_authority: heavy,
  };
  const trx = {
    ...(await build('')),
    operations: [['recover_account', { ...recovery, extensions: [] }]],
    signatures: [],
  };
  const available_keys = [...keys, alice.key];
  assert.deepEqual(await node.result('database_api.get_required_signatures', { trx, available_keys }), {
    keys: keys.slice(1),
  });
  assert.deepEqual(await node.result('database_api.get_potential_signatures', { trx }), { keys });
  assert.deepEqual(await node.result('alexandria_api.get_required_signatures', { tx: trx }), {
    required_signatures: keys,
  });
});

test('fees: what an operation costs in each symbol that is known', async () => {
  const { op } = Object(
    await node.result('alexandria_api.transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }),
  );
  assert.deepEqual(await node.result('alexandria_api.calculate_fee', { op, symbol: 'COIN' }), { fee: '0.010000 COIN' });
  const usd = await node.call('alexandria_api.calculate_fee', { op, symbol: 'USD' });
  assert.equal(usd.error?.data?.['name'], 'no_current_feed');
  const unknown = await node.call('alexandria_api.calculate_fee', { op, symbol: 'XYZ' });
  assert.equal(unknown.error?.message, 'a fee cannot be paid in XYZ; ask for one in COIN, USD, EUR, CHF, CNY, GBP');
  assert.equal(unknown.error.data?.['lineage'], 'Assert Exception:fee cannot be paid in with symbol COIN');
  const { op: priced } = Object(await node.result('alexandria_api.add_fee', { op, fee: '3 COIN' }));
  assert.equal(priced[1].fee, '3.000000 COIN');
});

test('groups write operations as the interface shows them, and read both forms everywhere', async () => {
  const typed = { type: 'transfer_operation', value: { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' } };
  const { simple_tx } = Object(await node.result('alexandria_api.create_simple_transaction', { op: typed }));
  assert.equal(simple_tx.operations[0][0], 'transfer');
  const hex = await node.result('database_api.get_transaction_hex', { trx: simple_tx });
  assert.deepEqual(
    await node.result('database_api.get_transaction_hex', {
      trx: { ...simple_tx, operations: [{ ...typed, value: { ...typed.value, fee: '0.01 COIN' } }] },
    }),
    hex,
  );
});

test('the legacy dialect takes positions and answers bare values', async () => {
  const legacy = (method: string, params: Json): Promise<unknown> => node.send({ id: 5, method, params });
  assert.deepEqual(await legacy('transfer', ['alice', 'bob', '1 COIN', '']), {
    id: 5,
    result: ['transfer', { fee: '0.000000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }],
  });
  assert.deepEqual(await legacy('account_exist', ['alice']), { id: 5, result: true });
  assert.deepEqual(await legacy('get_witness', ['nobody-here']), { id: 5, result: null });
  const op = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: 'legacy' }];
  const { result } = Object(await legacy('send_and_sign_operation', [op, alice.pk]));
  assert.equal(result.block_num, node.chain.head.number);
  const { result: help } = Object(await legacy('help', []));
  assert.ok(help.split('\n').includes('transfer(from, to, amount, memo)'));
  const { result: ofTransfer } = Object(await legacy('gethelp', ['transfer']));
  assert.match(ofTransfer, /^transfer\(from, to, amount, memo\)\n/);
  assert.equal(Object(await legacy('gethelp', ['no_such_method'])).error.code, 1);
});
