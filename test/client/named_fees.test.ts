import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeNonsense } from '../../src/client/answer.ts';
import { Client } from '../../src/client/client.ts';
import type { Json } from '../../src/codec/json.ts';
import { HandClock } from '../builders/hand_clock.ts';

const ID = '0000000a'.padEnd(40, '1');

/** A client of a node that names this fee for each operation. */
function clientOf(fee: Json): Client {
  const properties = {
    ...{ head_block_number: 10, head_block_id: ID, last_irreversible_block_num: 10, time: '2026-01-01T00:00:00' },
  };
  const call = async (method: string): Promise<Json> =>
    await Promise.resolve(method.endsWith('calculate_fee') ? { fee } : { properties });
  const symbols = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' };
  return new Client({ call, close: () => undefined }, new HandClock(0), { chainId: '00', symbols });
}

const PAYMENT = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }] as const;

test('the fees that a node names are offered up to a limit of the whole transaction, and nothing is built above it', async () => {
  const built = await clientOf('0.500000 COIN').build([PAYMENT, PAYMENT]);
  assert.deepEqual(
    built.operations.map(([, { fee }]) => fee),
    ['0.500000 COIN', '0.500000 COIN'],
  );
  const refused = { code: 'named_fees_too_large' };
  await assert.rejects(clientOf('0.500000 COIN').build([PAYMENT, PAYMENT, PAYMENT]), refused);
  await assert.rejects(clientOf('1.000001 COIN').build([PAYMENT]), refused);
  await assert.rejects(clientOf('2 COIN').send([PAYMENT], []), refused);
  await assert.rejects(clientOf('2 COIN').simulate([PAYMENT]), refused);
  await assert.rejects(clientOf('0.2 COIN').build([PAYMENT], 300, { maxFee: '0.1' }), refused);
});

test('a larger limit, or a fee in the body, is the word of the program', async () => {
  const client = clientOf('7 COIN');
  const [[, raised] = []] = (await client.build([PAYMENT], 300, { maxFee: '7' })).operations;
  assert.equal(raised?.fee, '7 COIN');
  const given = ['transfer', { ...PAYMENT[1], fee: '9 COIN' }] as const;
  const [[, said] = []] = (await client.build([given])).operations;
  assert.equal(said?.fee, '9 COIN');
  for (const maxFee of ['much', '', '-1', '1e3', '1 COIN', '0.0000001'])
    await assert.rejects(client.build([PAYMENT], 300, { maxFee }), { code: 'bad_max_fee' }, maxFee);
});

test('a fee that is no amount of the coin is nonsense', async () => {
  for (const fee of [null, 1, '', '1', '1.5', 'COIN', '0.1 USD', '-1 COIN', '1e3 COIN', { amount: 1 }])
    await assert.rejects(
      clientOf(fee).build([PAYMENT]),
      (error) => error instanceof NodeNonsense && /names a fee that is no amount of COIN/.test(error.message),
      JSON.stringify(fee),
    );
});
