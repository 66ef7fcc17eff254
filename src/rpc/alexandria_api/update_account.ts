import { accountUpdate } from '../../operations/account_update.ts';
import { givenName } from '../../values/account_name.ts';
import { keyAuthority } from '../../values/authority.ts';
import { publicKey } from '../../values/public_key.ts';
import { existingAccountRefusals, requireExistingAccount } from './account_lookup.ts';
import { sentText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildAccountUpdate = method({
  name: 'alexandria_api.update_account',
  doc: 'Builds the operation that gives an account new keys and new metadata.',
  params: {
    account_name: coded(givenName),
    json_meta: coded(sentText),
    owner: coded(publicKey),
    active: coded(publicKey),
    memo: coded(publicKey),
  },
  result: operationResult,
  example: {
    params: {
      account_name: 'alice',
      json_meta: '{}',
      owner: 'PHR1111111111111111111111111111111114T1Anm',
      active: 'PHR1111111111111111111111111111111114T1Anm',
      memo: 'PHR1111111111111111111111111111111114T1Anm',
    },
  },
  stability: 'stable',
  refuses: existingAccountRefusals,
  thread: 'read',

  handler({ account_name, json_meta, owner, active, memo }, { rows, parameters }) {
    const { name: account } = requireExistingAccount(rows, account_name);
    const authorities = { owner: keyAuthority(owner), active: keyAuthority(active) };
    return {
      op: accountUpdate.of({
        fee: noFee(parameters),
        account,
        ...authorities,
        memo_key: memo,
        json_metadata: json_meta,
      }),
    };
  },
});
