import assert from 'node:assert/strict';
import type { Dice } from '../builders/dice.ts';
import type { CallChain } from './every_kind.ts';
import { withFee } from './traffic.ts';

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'];
const DAY = 86_400;

/** One block with operations of all kinds that move money; what the chain refuses of it is left out. */
export async function moneyTraffic(call: CallChain, dice: Dice): Promise<void> {
  const cast = dice.roll(100);
  if (cast < 5) await call('debug_api.jump_ahead', { seconds: DAY + dice.roll(DAY) });
  else if (cast < 8) await call('debug_api.miss_slots', { count: 1 + dice.roll(3) });
  const time = await timeOf(call);
  for (let count = dice.roll(6); count > 0; count--) {
    const [kind, body] = operation(dice, time);
    const op = kind === 'account_create' ? [kind, { ...body, ...(await keysOf(call)) }] : await withFee(call, [kind, body]).catch(() => []);
    await call('debug_api.send_unsigned', { op_vec: [op] }).catch(() => undefined);
  }
  await call('debug_api.produce_blocks', { count: 1 });
}

function operation(dice: Dice, time: number): readonly [kind: string, body: object] {
  const [from, to, agent, sponsor] = [dice.pick(NAMES), dice.pick(NAMES), dice.pick(NAMES), dice.pick(NAMES)];
  const [few, memo] = [`${1 + dice.roll(9)}.${String(dice.roll(1e6)).padStart(6, '0')} COIN`, String(dice.roll(1e9))];
  // Few numbers, so that many fit an escrow that is open.
  const escrow = { from, to, agent, escrow_id: dice.roll(2) };
  const until = { ratification_deadline: timeText(time + 3 + dice.roll(30)), escrow_expiration: timeText(time + 60 + dice.roll(60)) };
  const kinds: readonly (() => readonly [kind: string, body: object])[] = [
    () => ['transfer', { from, to, amount: few, memo }],
    () => ['transfer', { from, to: 'none', amount: few, memo }],
    () => ['transfer_to_vesting', { from, to: dice.pick([to, '']), amount: few }],
    () => ['withdraw_vesting', { account: from, vesting_shares: `${dice.roll(4)}.000000 VESTS` }],
    () => ['transfer_from_promotion_pool', { transfer_to: to, amount: few, extensions: [] }],
    () => ['sponsor_fees', { sponsor, sponsored: from, is_sponsoring: dice.chance(70) }],
    () => ['escrow_transfer', { ...escrow, coin_amount: few, escrow_fee: '0.100000 COIN', json_meta: '', ...until }],
    () => ['escrow_transfer', { ...escrow, coin_amount: few, escrow_fee: '0.000000 COIN', json_meta: '', ...until }],
    () => ['escrow_approve', { ...escrow, who: dice.pick([to, agent]), approve: dice.chance(85) }],
    () => ['escrow_approve', { ...escrow, who: dice.pick([to, agent]), approve: true }],
    () => ['escrow_dispute', { ...escrow, who: dice.pick([from, to]) }],
    () => ['escrow_release', { ...escrow, who: dice.pick([from, to, agent]), receiver: dice.pick([from, to]), coin_amount: few }],
    () => ['account_create', { creator: from, name_seed: memo, fee: `${1 + dice.roll(3)}.500000 COIN` }],
    () => ['account_delete', { account: dice.pick(['ivan', 'judy']) }],
    () => ['custom_json', { sender: from, recipients: [to], app_id: dice.roll(3), json: `{"n":${memo}}` }],
    () => ['application_create', { author: from, name: `app${memo}`, url: 'u', metadata: '', price_param: 1 }],
    () => ['buy_application', { buyer: to, app_id: dice.roll(3) }],
    () => ['witness_stop', { owner: to }],
  ];
  return dice.pick(kinds)();
}

async function timeOf(call: CallChain): Promise<number> {
  const { time } = await call('database_api.get_dynamic_global_properties');
  return Date.parse(`${String(time)}Z`) / 1000;
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** Members of a new account. */
async function keysOf(call: CallChain): Promise<object> {
  const found = JSON.stringify(await call('alexandria_api.get_account', { account_name: 'alice' }));
  const key = /"memo_key":"(\w+)"/.exec(found)?.[1] ?? assert.fail(found);
  const by = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
  return { owner: by, active: by, memo_key: key, json_metadata: '' };
}
