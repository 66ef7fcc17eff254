import type { RandomSource } from '../builders/random_source.ts';
import type { CallChain } from './every_kind.ts';

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'];

/** Some operations, and blocks with them. */
export async function traffic(call: CallChain, randomSource: RandomSource): Promise<void> {
  const [from, to] = [randomSource.pick(NAMES), randomSource.pick(NAMES)];
  const memo = String(randomSource.roll(1e9));
  const kinds: readonly (readonly [string, object])[] = [
    ['transfer', { from, to, amount: `${1 + randomSource.roll(9)}.000000 COIN`, memo }],
    ['transfer', { from, to: 'none', amount: '0.500000 COIN', memo }],
    ['transfer_to_vesting', { from, to, amount: '3.000000 COIN' }],
    ['custom_json', { sender: from, recipients: [to], app_id: randomSource.roll(3), json: `{"n":${memo}}` }],
  ];
  for (let count = randomSource.roll(4); count > 0; count--) {
    // The same account may not pay itself, and a repeated transaction is refused.
    await withFee(call, randomSource.pick(kinds))
      .then(async (paid) => await call('debug_api.send_unsigned', { op_vec: [paid] }))
      .catch(() => undefined);
  }
  await call('debug_api.produce_blocks', { count: 1 + randomSource.roll(3) });
}

/** An operation with what it costs. */
export async function withFee(call: CallChain, [kind, body]: readonly unknown[]): Promise<unknown> {
  const op = [kind, { ...Object(body), fee: undefined }];
  const { fee } = await call('alexandria_api.calculate_fee', { op, symbol: 'COIN' });
  return [kind, { ...Object(body), fee }];
}
