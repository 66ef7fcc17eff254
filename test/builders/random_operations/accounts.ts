import { accounts as accountTable } from '../../../src/state/tables/account.ts';
import { FREE, type Makers } from './random_values.ts';

/** Accounts that come, change and go. */
export const accounts: Makers = {
  account_create: (random) => {
    const creator = random.anyone();
    const name_seed = `seed ${random.dice.roll(30)}`;
    const isStrange = random.dice.chance(10);
    const [owner, active] = [random.authority(isStrange), random.authority(isStrange)];
    return {
      signer: random.active(creator),
      fee: '0.950000 COIN',
      creator,
      name_seed,
      owner,
      active,
      memo_key: random.freshKeyText(),
      json_metadata: random.dice.pick(['', '{}', '{bad', 'x']),
    };
  },
  account_update: (random) => {
    const account = random.anyone();
    const changes = {
      ...(random.dice.chance(40) ? { owner: random.authority() } : {}),
      ...(random.dice.chance(40) ? { active: random.authority() } : {}),
    };
    const signer = 'owner' in changes || 'active' in changes ? random.owner(account) : random.active(account);
    return { signer, fee: FREE, account, ...changes, memo_key: random.freshKeyText(), json_metadata: random.dice.pick(['', '{"a":1}']) };
  },
  account_delete: (random) => {
    // Only accounts that were made on the way, so that somebody is left.
    const account = random.names.length > 12 ? random.dice.pick(random.names.slice(9)) : 'nobody';
    return { signer: random.owner(account), fee: FREE, account };
  },
  reset_account: (random) => {
    const account_to_reset = random.anyone();
    const reset_account = random.chain.committed.get(accountTable, account_to_reset)?.reset_account ?? random.anyone();
    return { signer: random.active(reset_account), fee: FREE, reset_account, account_to_reset, new_owner_authority: random.authority() };
  },
  set_reset_account: (random) => {
    const account = random.anyone();
    const current_reset_account = random.dice.chance(90)
      ? (random.chain.committed.get(accountTable, account)?.reset_account ?? '')
      : random.dice.pick(['', 'bob']);
    return { signer: random.owner(account), fee: FREE, account, current_reset_account, reset_account: random.anyone() };
  },
};
