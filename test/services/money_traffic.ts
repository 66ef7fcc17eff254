import assert from 'node:assert/strict';
import type { RandomSource } from '../builders/random_source.ts';
import type { CallChain } from './every_kind.ts';
import { withFee } from './traffic.ts';

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'];
const DAY = 86_400;

/** One block with operations of all kinds that move money; what the chain refuses of it is left out. */
export async function moneyTraffic(call: CallChain, randomSource: RandomSource): Promise<void> {
  const cast = randomSource.roll(100);
  if (cast < 5) await call('debug_api.jump_ahead', { seconds: DAY + randomSource.roll(DAY) });
  else if (cast < 8) await call('debug_api.miss_slots', { count: 1 + randomSource.roll(3) });
  const time = await fetchTime(call);
  for (let count = randomSource.roll(6); count > 0; count--) {
    const [kind, body] = operation(randomSource, time);
    const op =
      kind === 'account_create'
        ? [kind, { ...body, ...(await fetchKeys(call)) }]
        : await withFee(call, [kind, body]).catch(() => []);
    await call('debug_api.send_unsigned', { op_vec: [op] }).catch(() => undefined);
  }
  await call('debug_api.produce_blocks', { count: 1 });
}

function operation(randomSource: RandomSource, time: number): readonly [kind: string, body: object] {
  const [from, to, agent, sponsor] = [
    randomSource.pick(NAMES),
    randomSource.pick(NAMES),
    randomSource.pick(NAMES),
    randomSource.pick(NAMES),
  ];
  const [few, memo] = [
    `${1 + randomSource.roll(9)}.${String(randomSource.roll(1e6)).padStart(6, '0')} COIN`,
    String(randomSource.roll(1e9)),
  ];
  // Few numbers, so that many fit an escrow that is open.
  const escrow = { from, to, agent, escrow_id: randomSource.roll(2) };
  const until = {
    ratification_deadline: timeText(time + 3 + randomSource.roll(30)),
    escrow_expiration: timeText(time + 60 + randomSource.roll(60)),
  };
  const kinds: readonly (() => readonly [kind: string, body: object])[] = [
    () => ['transfer', { from, to, amount: few, memo }],
    () => ['transfer', { from, to: 'none', amount: few, memo }],
    () => ['transfer_to_vesting', { from, to: randomSource.pick([to, '']), amount: few }],
    () => ['withdraw_vesting', { account: from, vesting_shares: `${randomSource.roll(4)}.000000 VESTS` }],
    () => ['transfer_from_promotion_pool', { transfer_to: to, amount: few, extensions: [] }],
    () => ['sponsor_fees', { sponsor, sponsored: from, is_sponsoring: randomSource.chance(70) }],
    () => ['escrow_transfer', { ...escrow, coin_amount: few, escrow_fee: '0.100000 COIN', json_meta: '', ...until }],
    () => ['escrow_transfer', { ...escrow, coin_amount: few, escrow_fee: '0.000000 COIN', json_meta: '', ...until }],
    () => ['escrow_approve', { ...escrow, who: randomSource.pick([to, agent]), approve: randomSource.chance(85) }],
    () => ['escrow_approve', { ...escrow, who: randomSource.pick([to, agent]), approve: true }],
    () => ['escrow_dispute', { ...escrow, who: randomSource.pick([from, to]) }],
    () => [
      'escrow_release',
      {
        ...escrow,
        who: randomSource.pick([from, to, agent]),
        receiver: randomSource.pick([from, to]),
        coin_amount: few,
      },
    ],
    () => ['account_create', { creator: from, name_seed: memo, fee: `${1 + randomSource.roll(3)}.500000 COIN` }],
    () => ['account_delete', { account: randomSource.pick(['ivan', 'judy']) }],
    () => ['custom_json', { sender: from, recipients: [to], app_id: randomSource.roll(3), json: `{"n":${memo}}` }],
    () => ['application_create', { author: from, name: `app${memo}`, url: 'u', metadata: '', price_param: 1 }],
    () => ['buy_application', { buyer: to, app_id: randomSource.roll(3) }],
    () => ['witness_stop', { owner: to }],
  ];
  return randomSource.pick(kinds)();
}

async function fetchTime(call: CallChain): Promise<number> {
  const { time } = await call('database_api.get_dynamic_global_properties');
  return Date.parse(`${String(time)}Z`) / 1000;
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** Members of a new account. */
async function fetchKeys(call: CallChain): Promise<object> {
  const found = JSON.stringify(await call('alexandria_api.get_account', { account_name: 'alice' }));
  const key = /"memo_key":"(\w+)"/.exec(found)?.[1] ?? assert.fail(found);
  const by = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
  return { owner: by, active: by, memo_key: key, json_metadata: '' };
}
