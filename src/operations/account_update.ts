import { refusals } from '../base/refusal.ts';
import { optional } from '../codec/collections.ts';
import {
  authoritiesToUpdate,
  changeOwnerAuthority,
  namedAccountRefusals,
  ownerChangeRefusals,
  requireNamedAccounts,
  requireOwnerMayChange,
  updateKeyIndex,
} from '../state/authorities.ts';
import { headProperties } from '../state/chain_state.ts';
import { requireAccount, requireRow } from '../state/lookups.ts';
import { accounts } from '../state/tables/account.ts';
import { accountAuthorities } from '../state/tables/account_authority.ts';
import { accountMetadata } from '../state/tables/account_metadata.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { authority } from '../values/authority.ts';
import { TEMP_ACCOUNT } from '../values/reserved_accounts.ts';
import { jsonTextRefusals, requireMetadata } from '../values/json_text.ts';
import { sentText } from '../values/limited_text.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  temp_account: {
    text: 'the account {account} belongs to everybody and cannot be changed',
    lineage: 'Cannot update temp account.',
  },
});

/** Replaces authorities, memo key or metadata of an account. */
export const accountUpdate = operation({
  name: 'account_update',
  doc: 'Replaces authorities, memo key or metadata of an account. What is absent, null or empty stays as it is.',
  fields: paidBody({
    fee: asset,
    account: accountName,
    owner: optional(authority),
    active: optional(authority),
    memo_key: publicKey,
    json_metadata: sentText,
  }),
  refuses: { texts: { ...refuse.texts, ...jsonTextRefusals, ...namedAccountRefusals, ...ownerChangeRefusals } },
  feeAccount: (body) => body.account,
  authorities: ({ account, owner, active }) =>
    owner === undefined && active === undefined ? { active: [account] } : { owner: [account] },
  impacts: (body) => [body.account],
  setsAuthorities: ({ account, owner, active }) => [
    ...(owner === undefined ? [] : [{ account, role: 'owner', authority: owner } as const]),
    ...(active === undefined ? [] : [{ account, role: 'active', authority: active } as const]),
  ],

  validate({ json_metadata }) {
    requireMetadata(json_metadata);
  },

  apply({ account: name, owner, active, memo_key, json_metadata }, state) {
    if (name === TEMP_ACCOUNT) refuse.temp_account({ account: name });
    const account = requireAccount(state.rows, name);
    const before = authoritiesToUpdate(state, name);
    if (owner !== undefined) {
      requireOwnerMayChange(state, before);
      requireNamedAccounts(state, 'owner', name, owner);
      changeOwnerAuthority(state, name, owner);
    }
    if (active !== undefined) {
      requireNamedAccounts(state, 'active', name, active);
      state.rows.put(accountAuthorities, { ...requireRow(state.rows, accountAuthorities, name, name), active });
    }
    updateKeyIndex(state, name, before);
    const last_account_update = headProperties(state).time;
    state.rows.put(accounts, {
      ...account,
      memo_key: memo_key === NULL_KEY ? account.memo_key : memo_key,
      last_account_update,
    });
    if (json_metadata !== '') state.rows.put(accountMetadata, { account: name, json_metadata });
  },
});
