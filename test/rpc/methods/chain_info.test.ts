import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();

test('info is the head, what the witnesses agreed on, and how the chain is doing', async () => {
  const { info } = Object(await node.result('alexandria_api.info'));
  const properties = Object(await node.result('database_api.get_dynamic_global_properties'));
  for (const [member, value] of Object.entries(properties)) assert.deepEqual(info[member], value, member);
  assert.equal(info.head_block_number, node.chain.head.number);
  assert.equal(info.head_block_id, node.chain.head.id);
  assert.equal(info.head_block_age, '3 seconds old');
  assert.equal(info.participation, '100.000000');
  assert.equal(typeof info.recent_slots_filled, 'string');
  assert.deepEqual(info.median_sbd3_price, { base: '0.000000 COIN', quote: '0.000000 COIN' });
  assert.equal(info.account_creation_fee, '0.050000 COIN');
});

test('the average size of blocks counts one byte more for each, and follows the head', async () => {
  const average = async (): Promise<number> => {
    const blocks = Array.from(
      { length: node.chain.head.number },
      (_, k) => node.chain.block(k + 1)?.packed.length ?? 0,
    );
    return Math.trunc(blocks.reduce((sum, bytes) => sum + bytes + 1, 0) / blocks.length);
  };
  assert.equal(await node.result('block_api.get_average_block_size'), await average());
  const { op } = Object(
    await node.result('alexandria_api.transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: 'x'.repeat(500) }),
  );
  await node.result('alexandria_api.send_and_sign_operation', {
    op,
    pk: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  });
  const { properties } = Object(await node.result('alexandria_api.get_dynamic_global_properties'));
  assert.equal(properties.average_block_size, await average());
});

test('about and get_version name the chain and carry the coin’s name in their members', async () => {
  const { about } = Object(await node.result('alexandria_api.about'));
  const { version_info } = Object(await node.result('alexandria_api.get_version'));
  assert.equal(about.chain_id, node.parameters.chainId);
  assert.deepEqual(Object.keys(version_info), ['blockchain_version', 'coin_revision', 'fc_revision', 'chain_id']);
  for (const [member, value] of Object.entries(version_info)) assert.equal(about[member], value);
});

test('witnesses are listed by name and by votes, and a round names its producers', async () => {
  const { witnesses } = Object(await node.result('alexandria_api.list_witnesses', { start: '', limit: 10 }));
  assert.deepEqual(witnesses, ['alice', 'initminer']);
  const { witnesses_by_vote } = Object(
    await node.result('alexandria_api.list_witnesses_by_vote', { name: '', limit: 10 }),
  );
  assert.deepEqual(
    witnesses_by_vote.map(({ owner }: { owner: string }) => owner),
    ['initminer', 'alice'],
  );
  assert.equal('price_feeds' in witnesses_by_vote[0].props, false);
  const { witnesses: found } = Object(await node.result('database_api.find_witnesses', { owners: ['alice', 'bob'] }));
  assert.deepEqual(found[0].props.price_feeds, []);
  const { active_witnesses } = Object(await node.result('alexandria_api.get_active_witnesses'));
  assert.ok(active_witnesses.includes('initminer'));
  const { votes } = Object(
    await node.result('database_api.list_witness_votes', {
      start: ['alice', ''],
      limit: 5,
      order: 'by_account_witness',
    }),
  );
  assert.deepEqual(
    votes.map(({ account, witness }: { account: string; witness: string }) => [account, witness]),
    [['alice', 'initminer']],
  );
});

test('applications and their buyings are found in every way', async () => {
  const { applications } = Object(
    await node.result('alexandria_api.get_applications', { names: ['chat', 'none-such'] }),
  );
  assert.equal(applications.length, 1);
  assert.equal(applications[0].price_param, 'permanent');
  for (const name of ['0', 'chat']) {
    const { application_buyings } = Object(
      await node.result('alexandria_api.get_application_buyings', { name, search_type: 'by_app_id', count: 10 }),
    );
    assert.deepEqual(
      application_buyings.map(({ buyer }: { buyer: string }) => buyer),
      ['bob'],
      name,
    );
  }
  const { application_buyings } = Object(
    await node.result('database_api.get_application_buyings', { start: 'bob', limit: 10, search_type: 'by_buyer' }),
  );
  assert.equal(application_buyings.length, 1);
  const { error } = await node.call('database_api.get_application_buyings', {
    start: 'bob',
    limit: 10,
    search_type: 'by_luck',
  });
  assert.equal(error?.message, 'there is no search_type by_luck; there are by_buyer, by_app_id');
  assert.equal(error.data?.['lineage'], 'Assert Exception:false: Unknown search type argument');
});

test('escrows and recoveries that wait are found', async () => {
  const { escrows } = Object(await node.result('database_api.find_escrows', { from: 'alice' }));
  assert.equal(escrows[0].coin_balance, '5.000000 COIN');
  const listed = Object(
    await node.result('database_api.list_escrows', {
      start: [false, '1970-01-01T00:00:00', 0],
      limit: 5,
      order: 'by_ratification_deadline',
    }),
  );
  assert.deepEqual(listed.escrows, escrows);
  const wrong = await node.call('database_api.list_escrows', {
    start: [false],
    limit: 5,
    order: 'by_ratification_deadline',
  });
  assert.match(
    wrong.error?.message ?? '',
    /^start of by_ratification_deadline is \[approved, deadline, id\], such as /,
  );
  assert.match(String(wrong.error?.data?.['lineage']), /requires 3 values/);
  const { requests } = Object(
    await node.result('database_api.find_change_recovery_account_requests', { accounts: ['alice', 'bob'] }),
  );
  assert.deepEqual(
    requests.map(({ recovery_account }: { recovery_account: string }) => recovery_account),
    ['bob'],
  );
});

test('a key leads to the accounts that have it', async () => {
  const key = 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv';
  const nobody = 'PHR1111111111111111111111111111111114T1Anm';
  assert.deepEqual(await node.result('alexandria_api.get_key_references', { keys: [key, nobody] }), {
    accounts: [['alice'], []],
  });
});
