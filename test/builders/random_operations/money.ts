import { accounts } from '../../../src/state/tables/account.ts';
import type { Makers } from './random_values.ts';

/** Operations that transfer coins, vest them or sponsor fees. */
export const money: Makers = {
  transfer: (random) => {
    const from = random.anyone();
    return {
      signer: random.active(from),
      fee: random.baseFee(),
      from,
      to: random.anyone(),
      amount: random.coins(),
      memo: random.randomSource.chance(98)
        ? String(random.randomSource.roll(99))
        : 'm'.repeat(2047 + random.randomSource.roll(2)),
    };
  },
  transfer_to_vesting: (random) => {
    const from = random.anyone();
    return {
      signer: random.active(from),
      fee: random.freeFee(),
      from,
      to: random.randomSource.chance(40) ? '' : random.anyone(),
      amount: random.coins(),
    };
  },
  withdraw_vesting: (random) => {
    const account = random.anyone();
    const held = random.chain.committed.get(accounts, account)?.vesting_shares ?? 0n;
    const part = (held * BigInt(random.randomSource.roll(110))) / 100n;
    const vesting_shares =
      random.randomSource.chance(60) && part > 0n
        ? `${part / 1_000_000n}.${String(part % 1_000_000n).padStart(6, '0')} VESTS`
        : random.vests();
    return { signer: random.active(account), fee: random.freeFee(), account, vesting_shares };
  },
  transfer_from_promotion_pool: (random) => ({
    signer: random.active('initminer'),
    fee: random.freeFee(),
    transfer_to: random.anyone(),
    amount: random.coins(100),
    extensions: [],
  }),
  sponsor_fees: (random) => {
    const sponsored = random.anyone();
    const sponsor = random.randomSource.chance(20) ? '' : random.anyone();
    return {
      signer: random.active(sponsor === '' ? sponsored : sponsor),
      fee: random.freeFee(),
      sponsor,
      sponsored,
      is_sponsoring: random.randomSource.chance(60),
    };
  },
};
