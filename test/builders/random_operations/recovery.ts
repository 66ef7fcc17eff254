import type { Json } from '../../../src/codec/json.ts';
import { accountAuthorities } from '../../../src/state/tables/account_authority.ts';
import { accountRecoveryRequests } from '../../../src/state/tables/account_recovery_request.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { ownerAuthorityHistories } from '../../../src/state/tables/owner_authority_history.ts';
import { authority, type Authority } from '../../../src/values/authority.ts';
import { encoding } from '../chain.ts';
import type { Makers } from './random_values.ts';

/** Accounts that are won back. */
export const recovery: Makers = {
  request_account_recovery: (random) => {
    // Only who had another owner once can be won back.
    const known = random.chain.committed.rows(ownerAuthorityHistories, { limit: 50 }).map(({ account }) => account);
    const account_to_recover =
      known.length > 0 && random.randomSource.chance(60) ? random.randomSource.pick(known) : random.anyone();
    const partner = random.chain.committed.get(accounts, account_to_recover)?.recovery_account ?? '';
    const recovery_account = random.randomSource.chance(90) && partner !== '' ? partner : random.witness();
    return {
      signer: random.active(recovery_account),
      fee: random.freeFee(),
      recovery_account,
      account_to_recover,
      new_owner_authority: random.authority(random.randomSource.chance(10)),
      extensions: [],
    };
  },
  recover_account: (random) => {
    const requests = random.chain.committed.rows(accountRecoveryRequests, { limit: 20 });
    const request =
      requests.length > 0 && random.randomSource.chance(90) ? random.randomSource.pick(requests) : undefined;
    const account_to_recover = request?.account_to_recover ?? random.anyone();
    const histories = random.chain.committed.range(ownerAuthorityHistories.by_account, {
      from: [account_to_recover],
      to: [account_to_recover],
      limit: 5,
    });
    const [history] = random.randomSource.shuffle(histories);
    const offered = request?.new_owner_authority;
    const recent =
      history?.previous_owner_authority ?? random.chain.committed.get(accountAuthorities, account_to_recover)?.owner;
    const signer = [...new Set([...random.labelsIn(offered), ...random.labelsIn(recent)])];
    return {
      signer,
      fee: random.freeFee(),
      account_to_recover,
      new_owner_authority: offered === undefined ? random.authority() : authorityJson(offered),
      recent_owner_authority: authorityJson(recent),
      extensions: [],
    };
  },
  change_recovery_account: (random) => {
    const account_to_recover = random.anyone();
    return {
      signer: random.owner(account_to_recover),
      fee: random.freeFee(),
      account_to_recover,
      new_recovery_account: random.anyone(),
      extensions: [],
    };
  },
};

function authorityJson(value: Authority | undefined): Json {
  return authority.toJson(value ?? { weight_threshold: 1, account_auths: [], key_auths: [] }, encoding);
}
