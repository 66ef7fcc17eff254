import { refusals } from '../../base/refusal.ts';
import type { Codec } from '../../codec/codec.ts';
import { mismatch } from '../../codec/decode_error.ts';
import { text } from '../../codec/primitives.ts';
import { accountUpdate } from '../../operations/account_update.ts';
import { accountMetadata } from '../../state/tables/account_metadata.ts';
import { accountName } from '../../values/account_name.ts';
import { authority, isImpossible } from '../../values/authority.ts';
import { existingAccountRefusals, requireExistingAccount } from './account_lookup.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The authority that is replaced. */
const role: Codec<'owner' | 'active', 'owner' | 'active'> = {
  write: text.write,
  toJson: (value) => value,
  read: (input) => (input.text() === 'owner' ? 'owner' : 'active'),
  fromJson: (json) => (json === 'owner' || json === 'active' ? json : mismatch('owner or active', json)),
  initial: () => 'owner',
  describe: () => ({ type: 'string', enum: ['owner', 'active'] }),
};

const refuse = refusals({
  impossible_owner_authority: {
    text: 'the new owner authority of {account} asks for a weight of {threshold}, more than its members have together: nobody could act for it',
    lineage: 'Owner authority change would render account irrecoverable.',
  },
});

/** Builds an operation; it changes nothing. */
export const buildAuthorityUpdate = method({
  name: 'alexandria_api.update_account_auth',
  doc: 'Builds the operation that replaces one authority of an account and leaves the rest as it is.',
  params: {
    account_name: coded(accountName),
    type: coded(role),
    new_authority: coded(authority),
  },
  result: operationResult,
  example: {
    params: {
      account_name: 'alice',
      type: 'active',
      new_authority: { weight_threshold: 1, account_auths: [['bob', 1]], key_auths: [] },
    },
  },
  stability: 'stable',
  refuses: { ...existingAccountRefusals, ...refuse.texts },
  thread: 'read',

  handler({ account_name, type, new_authority }, { rows, parameters }) {
    const { name: account, memo_key } = requireExistingAccount(rows, account_name);
    if (type === 'owner' && isImpossible(new_authority))
      refuse.impossible_owner_authority({ account, threshold: new_authority.weight_threshold });
    const json_metadata = rows.get(accountMetadata, account)?.json_metadata ?? '';
    const replaced = { owner: undefined, active: undefined, [type]: new_authority };
    return { op: accountUpdate.of({ fee: noFee(parameters), account, ...replaced, memo_key, json_metadata }) };
  },
});
