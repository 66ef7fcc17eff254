import { accounts as accountTable } from '../../../src/state/tables/account.ts';
import type { Makers } from './random_values.ts';

/** Operations that create, change and delete accounts. */
export const accounts: Makers = {
  account_create: (random) => {
    const creator = random.anyone();
    const name_seed = random.randomSource.chance(97)
      ? `seed ${random.randomSource.roll(30)}`
      : 'x'.repeat(31 + random.randomSource.roll(3));
    const isStrange = random.randomSource.chance(10);
    const [owner, active] = [random.authority(isStrange), random.authority(isStrange)];
    return {
      signer: random.active(creator),
      fee: random.randomSource.chance(85)
        ? '0.950000 COIN'
        : random.randomSource.pick(['0.040000 COIN', '9.000000 USD', '0.500000 EUR', '0.000000 COIN']),
      creator,
      name_seed,
      owner,
      active,
      memo_key: random.freshKeyText(),
      json_metadata: random.randomSource.pick(['', '{}', '{}', '{bad', 'x']),
    };
  },
  account_update: (random) => {
    const account = random.anyone();
    const changes = {
      ...(random.randomSource.chance(40) ? { owner: random.authority() } : {}),
      ...(random.randomSource.chance(40) ? { active: random.authority() } : {}),
    };
    const signer = 'owner' in changes || 'active' in changes ? random.owner(account) : random.active(account);
    return {
      signer,
      fee: random.freeFee(),
      account,
      ...changes,
      memo_key: random.freshKeyText(),
      json_metadata: random.randomSource.pick(['', '{"a":1}']),
    };
  },
  account_delete: (random) => {
    // Only accounts that were created during the run, so that the first ones remain.
    const made = random.names.filter((name) => name.length > 20);
    const account = made.length > 0 ? random.randomSource.pick(made) : random.randomSource.pick(['nobody', 'temp']);
    return { signer: random.owner(account), fee: random.freeFee(), account };
  },
  reset_account: (random) => {
    const account_to_reset = random.anyone();
    const reset_account = random.chain.committed.get(accountTable, account_to_reset)?.reset_account ?? random.anyone();
    return {
      signer: random.active(reset_account),
      fee: random.freeFee(),
      reset_account,
      account_to_reset,
      new_owner_authority: random.authority(),
    };
  },
  set_reset_account: (random) => {
    const account = random.anyone();
    const current_reset_account = random.randomSource.chance(90)
      ? (random.chain.committed.get(accountTable, account)?.reset_account ?? '')
      : random.randomSource.pick(['', 'bob']);
    return {
      signer: random.owner(account),
      fee: random.freeFee(),
      account,
      current_reset_account,
      reset_account: random.anyone(),
    };
  },
};
