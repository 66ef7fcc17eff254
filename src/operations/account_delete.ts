import { refusals } from '../base/refusal.ts';
import {
  authoritiesToUpdate,
  changeOwnerAuthority,
  ownerChangeRefusals,
  requireOwnerMayChange,
  updateKeyIndex,
} from '../state/authorities.ts';
import { headProperties } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { accounts } from '../state/tables/account.ts';
import { accountMetadata } from '../state/tables/account_metadata.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { keyAuthority } from '../values/authority.ts';
import { TEMP_ACCOUNT } from '../values/reserved_accounts.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { operation, paidBody } from './operation.ts';

const DELETED_METADATA = '{"deleted_account"}'; // as the lineage writes it; not valid JSON

const refuse = refusals({
  temp_account: {
    text: 'the account {account} belongs to everybody and cannot be changed',
    lineage: 'Cannot update temp account.',
  },
});

/**
 * Locks an account permanently: no one has its keys. Its name, balances and votes remain, and it can be recovered for
 * 30 days.
 */
export const accountDelete = operation({
  name: 'account_delete',
  doc: 'Locks an account: nobody has its keys any more. Its name, balances and votes stay, and it can be recovered for 30 days.',
  fields: paidBody({ fee: asset, account: accountName }),
  refuses: { texts: { ...refuse.texts, ...ownerChangeRefusals } },
  feeAccount: (body) => body.account,
  authorities: (body) => ({ owner: [body.account] }),
  impacts: (body) => [body.account],

  apply({ account: name }, state) {
    if (name === TEMP_ACCOUNT) refuse.temp_account({ account: name });
    const account = requireAccount(state.rows, name);
    const before = authoritiesToUpdate(state, name);
    requireOwnerMayChange(state, before);
    const nobody = keyAuthority(NULL_KEY);
    changeOwnerAuthority(state, name, nobody, nobody);
    if (state.parameters.rules.complete_key_index) updateKeyIndex(state, name, before);
    state.rows.put(accounts, { ...account, memo_key: NULL_KEY, last_account_update: headProperties(state).time });
    state.rows.put(accountMetadata, { account: name, json_metadata: DELETED_METADATA });
  },
});
