import { refusals } from '../base/refusal.ts';
import {
  namedAccountRefusals,
  plainNameRefusals,
  requireNamedAccounts,
  requirePlainNames,
} from '../state/authorities.ts';
import type { ChainState } from '../state/chain_state.ts';
import { dueTime, dueTimeRefusals } from '../state/due_times.ts';
import { ACCOUNT_RECOVERY_REQUEST_SECONDS } from '../state/parameters.ts';
import { accountToRecover, findRecoveryRequest } from '../state/recovery.ts';
import type { Account } from '../state/tables/account.ts';
import { accountRecoveryRequests } from '../state/tables/account_recovery_request.ts';
import { witnesses } from '../state/tables/witness.ts';
import { finishVotes } from '../state/votes.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { authority, isImpossible, type Authority } from '../values/authority.ts';
import { extensions } from '../values/extensions.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  not_recovery_account: {
    text: 'the recovery account of {account} is {recovery_account}, not {given}',
    lineage: 'Cannot recover an account that does not have you as there recovery partner.',
  },
  not_top_witness: {
    text: '{account} has no recovery account, so the witness with the most votes requests its recovery: {witness}, not {given}',
    lineage: 'Top witness must recover an account with no recovery partner.',
  },
  impossible_authority: {
    text: 'the new owner authority of {account} asks for a weight of {threshold}, more than its members have together',
    lineage: 'Cannot recover using an impossible authority.',
  },
  open_authority: {
    text: 'the new owner authority of {account} has the threshold 0, so that anybody could act for it, and there is no request to withdraw',
    lineage: 'Cannot recover using an open authority.',
  },
});

/**
 * Offers an account a new owner authority, which its owner can accept with a former one within a day; threshold 0
 * withdraws it.
 */
export const requestAccountRecovery = operation({
  name: 'request_account_recovery',
  doc: 'Offers an account a new owner authority on behalf of its recovery account. A threshold of 0 withdraws the offer.',
  fields: paidBody({
    fee: asset,
    recovery_account: accountName,
    account_to_recover: accountName,
    new_owner_authority: authority,
    extensions,
  }),
  refuses: { texts: { ...namedAccountRefusals, ...plainNameRefusals, ...dueTimeRefusals, ...refuse.texts } },
  feeAccount: (body) => body.recovery_account,
  authorities: (body) => ({ active: [body.recovery_account] }),
  impacts: (body) => [body.account_to_recover, body.recovery_account],
  // A threshold of zero takes a request back.
  setsAuthorities: ({ account_to_recover: account, new_owner_authority: owner }) =>
    owner.weight_threshold === 0 ? [] : [{ account, role: 'owner', authority: owner }],

  validate({ new_owner_authority }, parameters) {
    requirePlainNames(parameters, new_owner_authority);
  },

  apply({ recovery_account, account_to_recover, new_owner_authority }, state) {
    requireRecoveryPartner(state, accountToRecover(state, account_to_recover), recovery_account);
    const pending = findRecoveryRequest(state, account_to_recover);
    if (pending !== undefined && new_owner_authority.weight_threshold === 0) {
      state.rows.remove(accountRecoveryRequests, account_to_recover);
      return;
    }
    requireUsable(state, account_to_recover, new_owner_authority);
    const id = pending?.id ?? state.rows.nextId(accountRecoveryRequests);
    const expires = dueTime(state, 'the end of the recovery request', ACCOUNT_RECOVERY_REQUEST_SECONDS);
    state.rows.put(accountRecoveryRequests, { id, account_to_recover, new_owner_authority, expires });
  },
});

function requireRecoveryPartner(state: ChainState, account: Account, partner: AccountName): void {
  if (account.recovery_account === '') {
    finishVotes(state);
    const witness = state.rows.first(witnesses.by_vote_name)?.owner ?? '';
    if (witness !== partner) refuse.not_top_witness({ account: account.name, witness, given: partner });
  } else if (account.recovery_account !== partner) {
    refuse.not_recovery_account({ account: account.name, recovery_account: account.recovery_account, given: partner });
  }
}

function requireUsable(state: ChainState, account: AccountName, owner: Authority): void {
  if (isImpossible(owner)) refuse.impossible_authority({ account, threshold: owner.weight_threshold });
  if (owner.weight_threshold === 0) refuse.open_authority({ account });
  requireNamedAccounts(state, 'owner', account, owner);
}
