import { refusals } from '../base/refusal.ts';
import { noteActivity } from '../state/activity.ts';
import {
  authoritiesToUpdate,
  changeOwnerAuthority,
  plainNameRefusals,
  requirePlainNames,
  updateKeyIndex,
} from '../state/authorities.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { OWNER_UPDATE_LIMIT_SECONDS } from '../state/parameters.ts';
import { isTooOld, findRecoveryRequest } from '../state/recovery.ts';
import { accounts, type Account } from '../state/tables/account.ts';
import { accountRecoveryRequests } from '../state/tables/account_recovery_request.ts';
import { ownerAuthorityHistories } from '../state/tables/owner_authority_history.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { authority, authorityDigest, isImpossible, sameAuthority, type Authority } from '../values/authority.ts';
import { extensions } from '../values/extensions.ts';
import { operation, paidBody } from './operation.ts';
import { NEVER } from '../values/limits.ts';
import { timeText } from '../values/time.ts';

const refuse = refusals({
  authorities_equal: {
    text: 'the new owner authority of {account} is the recent one; name another',
    lineage: 'Cannot set new owner authority to the recent owner authority',
  },
  new_authority_impossible: {
    text: 'the new owner authority of {account} asks for a weight of {threshold}, more than its members have together',
    lineage: 'new owner authority cannot be impossible',
  },
  recent_authority_impossible: {
    text: 'the recent owner authority of {account} asks for a weight of {threshold}, more than its members have together',
    lineage: 'recent owner authority cannot be impossible',
  },
  new_authority_trivial: {
    text: 'the new owner authority of {account} has the threshold 0, so that anybody could act for it',
    lineage: 'new owner authority cannot be trivial',
  },
  owner_changed_recently: {
    text: '{account} was recovered at {changed}; it can be recovered again after {until}',
    lineage: 'Owner authority can only be updated once an hour.',
  },
  no_recovery_request: {
    text: 'nobody has requested the recovery of {account}, or the request has run out; its recovery account does with request_account_recovery',
    lineage: 'There are no active recovery requests for this account.',
  },
  authority_not_requested: {
    text: 'the new owner authority of {account} is not the one in the recovery request',
    lineage: 'New owner authority does not match recovery request.',
  },
  authority_not_in_history: {
    text: 'the recent owner authority of {account} was not its owner authority within the last 30 days',
    lineage: 'Recent authority not found in authority history.',
  },
});

/**
 * Accepts the new owner authority offered by the recovery account; requires signatures of the new authority and a
 * former one.
 */
export const recoverAccount = operation({
  name: 'recover_account',
  doc: 'Takes the owner authority that the recovery account offered. Signed by that authority and by one that was the owner within 30 days.',
  fields: paidBody({
    fee: asset,
    account_to_recover: accountName,
    new_owner_authority: authority,
    recent_owner_authority: authority,
    extensions,
  }),
  refuses: { texts: { ...plainNameRefusals, ...refuse.texts } },
  feeAccount: (body) => body.account_to_recover,
  authorities: (body) => ({ other: [body.new_owner_authority, body.recent_owner_authority] }),
  impacts: (body) => [body.account_to_recover],
  setsAuthorities: ({ account_to_recover: account, new_owner_authority: owner }) => [
    { account, role: 'owner', authority: owner },
  ],

  validate({ account_to_recover: account, new_owner_authority, recent_owner_authority }, parameters) {
    const { weight_threshold: threshold } = new_owner_authority;
    if (sameAuthority(new_owner_authority, recent_owner_authority)) refuse.authorities_equal({ account });
    if (isImpossible(new_owner_authority)) refuse.new_authority_impossible({ account, threshold });
    if (isImpossible(recent_owner_authority)) {
      refuse.recent_authority_impossible({ account, threshold: recent_owner_authority.weight_threshold });
    }
    if (threshold === 0) refuse.new_authority_trivial({ account });
    requirePlainNames(parameters, new_owner_authority);
    requirePlainNames(parameters, recent_owner_authority);
  },

  apply({ account_to_recover, new_owner_authority, recent_owner_authority }, state) {
    const { time } = headProperties(state);
    const account = requireAccount(state.rows, account_to_recover);
    if (time - account.last_account_recovery <= OWNER_UPDATE_LIMIT_SECONDS) refuseSoon(account);
    const named = { account: account_to_recover };
    const request = findRecoveryRequest(state, account_to_recover) ?? refuse.no_recovery_request(named);
    if (!sameAuthority(request.new_owner_authority, new_owner_authority)) refuse.authority_not_requested(named);
    if (!wasOwner(state, account_to_recover, recent_owner_authority)) refuse.authority_not_in_history(named);

    const before = authoritiesToUpdate(state, account_to_recover);
    state.rows.remove(accountRecoveryRequests, account_to_recover);
    changeOwnerAuthority(state, account_to_recover, new_owner_authority);
    updateKeyIndex(state, account_to_recover, before);
    state.rows.put(accounts, { ...account, last_account_recovery: time });
    // Its former and its new owner have signed, so it must not be reset as inactive.
    noteActivity(state, account_to_recover);
  },
});

function refuseSoon({ name, last_account_recovery: changed }: Account): never {
  const until = timeText(Math.min(changed + OWNER_UPDATE_LIMIT_SECONDS, NEVER));
  return refuse.owner_changed_recently({ account: name, changed: timeText(changed), until });
}

/**
 * True when the authority is in the account's history, which goes back 30 days and does not include the current owner
 * authority.
 */
function wasOwner(state: ChainState, account: AccountName, owner: Authority): boolean {
  const same: [AccountName, string] = [account, authorityDigest(owner)];
  const [latest] = state.rows.range(ownerAuthorityHistories.by_account_authority, {
    from: same,
    to: same,
    reverse: true,
    limit: 1,
  });
  return latest !== undefined && !isTooOld(state, latest);
}
