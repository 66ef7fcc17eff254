import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devChain } from '../../src/dev_chain/dev_chain.ts';

test('with several witnesses a chain has a price, in which amounts are converted and fees are paid', async (context) => {
  const chain = await devChain({ witnesses: 7 });
  context.after(() => chain.stop());
  const { schedule_obj } = await chain.call('alexandria_api.get_witness_schedule_object', {});
  assert.equal(schedule_obj.num_scheduled_witnesses, 7);
  // Its name has the word of the chain, so no type knows it.
  const inCoins = async (fiat: string): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'alexandria_api.fiat_to_coin', params: { fiat } });
    return await (await fetch(chain.url, { method: 'POST', body })).text();
  };
  assert.match(await inCoins('1.000000 USD'), /no_current_feed/);

  const { head_block_number: first } = await chain.setPrice('0.125 USD');
  assert.equal(first % 1200, 0);
  assert.match(await inCoins('1.000000 USD'), /"8\.000000 COIN"/);

  const { alice } = chain.accounts;
  const before = await chain.call('alexandria_api.get_account', { account_name: 'alice' });
  const paid = { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '', fee: '0.010000 USD' };
  await chain.send([['transfer', paid]], [alice?.key ?? assert.fail()]);
  const after = await chain.call('alexandria_api.get_account', { account_name: 'alice' });
  assert.deepEqual(
    [before.account[0]?.balance, after.account[0]?.balance],
    ['10000000.000000 COIN', '9999998.920000 COIN'],
  );
});

test('with one witness a price is refused, with what to do', async (context) => {
  const chain = await devChain();
  context.after(() => chain.stop());
  await assert.rejects(chain.setPrice('0.12 USD'), /5 feeds at least, and the round has 1 witnesses; .*--witnesses 5/);
  await assert.rejects(chain.setPrice('0.12 XYZ'), /one of USD, EUR, CHF, CNY, GBP expected, got 0\.120000 XYZ/);
  await assert.rejects(devChain({ witnesses: 52 }), /witnesses: 1 to 51 expected/);
});
