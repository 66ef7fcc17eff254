import { refusals } from '../base/refusal.ts';
import {
  authoritiesToUpdate,
  changeOwnerAuthority,
  namedAccountRefusals,
  plainNameRefusals,
  requireNamedAccounts,
  requirePlainNames,
  updateKeyIndex,
} from '../state/authorities.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import type { Account } from '../state/tables/account.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { authority, isImpossible } from '../values/authority.ts';
import { timeText } from '../values/time.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  new_authority_impossible: {
    text: 'the new owner authority of {account} asks for a weight of {threshold}, more than its members have together',
    lineage: 'new owner authority cannot be impossible',
  },
  new_authority_trivial: {
    text: 'the new owner authority of {account} has the threshold 0, so that anybody could act for it',
    lineage: 'new owner authority cannot be trivial',
  },
  not_reset_account: {
    text: 'the reset account of {account} is {reset_account}, not {given}',
    lineage: 'Reset account does not match reset account on account.',
  },
  account_active: '{account} was active at {active} and cannot be reset before {until}',
});

/** Lets the reset account of an inactive account replace its owner authority. */
export const resetAccount = operation({
  name: 'reset_account',
  doc: 'Replaces the owner authority of an account on behalf of its reset account, once the account has been inactive long enough.',
  fields: paidBody({
    fee: asset,
    reset_account: accountName,
    account_to_reset: accountName,
    new_owner_authority: authority,
  }),
  refuses: { texts: { ...namedAccountRefusals, ...plainNameRefusals, ...refuse.texts } },
  feeAccount: (body) => body.reset_account,
  authorities: (body) => ({ active: [body.reset_account] }),
  impacts: (body) => [body.reset_account],
  setsAuthorities: ({ account_to_reset: account, new_owner_authority: owner }) => [
    { account, role: 'owner', authority: owner },
  ],

  validate({ account_to_reset: account, new_owner_authority }, parameters) {
    const { weight_threshold: threshold } = new_owner_authority;
    if (isImpossible(new_owner_authority)) refuse.new_authority_impossible({ account, threshold });
    if (threshold === 0) refuse.new_authority_trivial({ account });
    requirePlainNames(parameters, new_owner_authority);
  },

  apply({ reset_account, account_to_reset, new_owner_authority }, state) {
    const { rules } = state.parameters;
    const account = requireAccount(state.rows, account_to_reset);
    if (account.reset_account !== reset_account) {
      refuse.not_reset_account({
        account: account_to_reset,
        reset_account: account.reset_account,
        given: reset_account,
      });
    }
    requireInactive(state, account);
    // Where authorities may name any account, those accounts must exist; the lineage does not check this here.
    if (rules.generated_names_in_authorities)
      requireNamedAccounts(state, 'owner', account_to_reset, new_owner_authority);

    const before = authoritiesToUpdate(state, account_to_reset);
    changeOwnerAuthority(state, account_to_reset, new_owner_authority);
    if (rules.complete_key_index) updateKeyIndex(state, account_to_reset, before);
  },
});

function requireInactive(state: ChainState, { name, last_activity }: Account): void {
  const until = last_activity + state.parameters.rules.reset_inactivity_seconds;
  if (headProperties(state).time < until)
    refuse.account_active({ account: name, active: timeText(last_activity), until: timeText(until) });
}
