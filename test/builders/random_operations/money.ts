import { FREE, type Makers } from './random_values.ts';

/** Coins that move, vest or pay for others. */
export const money: Makers = {
  transfer: (random) => {
    const from = random.anyone();
    return {
      signer: random.active(from),
      fee: random.baseFee(),
      from,
      to: random.anyone(),
      amount: random.coins(),
      memo: String(random.dice.roll(99)),
    };
  },
  transfer_to_vesting: (random) => {
    const from = random.anyone();
    return { signer: random.active(from), fee: FREE, from, to: random.dice.chance(40) ? '' : random.anyone(), amount: random.coins() };
  },
  withdraw_vesting: (random) => {
    const account = random.anyone();
    return { signer: random.active(account), fee: FREE, account, vesting_shares: random.vests() };
  },
  transfer_from_promotion_pool: (random) => ({
    signer: random.active('initminer'),
    fee: FREE,
    transfer_to: random.anyone(),
    amount: random.coins(100),
    extensions: [],
  }),
  sponsor_fees: (random) => {
    const sponsored = random.anyone();
    const sponsor = random.dice.chance(20) ? '' : random.anyone();
    return {
      signer: random.active(sponsor === '' ? sponsored : sponsor),
      fee: FREE,
      sponsor,
      sponsored,
      is_sponsoring: random.dice.chance(60),
    };
  },
};
