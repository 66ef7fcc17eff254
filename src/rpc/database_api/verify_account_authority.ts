import Type from 'typebox';
import { refusals } from '../../base/refusal.ts';
import { authorityCheckRefusals, checkAuthorities } from '../../blocks/authority_check.ts';
import { accounts } from '../../state/tables/account.ts';
import { accountName } from '../../values/account_name.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../paging.ts';
import { coded } from '../params.ts';
import { authorityLookup } from '../signatures.ts';

const refuse = refusals({ no_such_account: 'account != nullptr: no such account' });

/** Whether anybody may act for an account. */
export const verifyAccountAuthority = method({
  name: 'database_api.verify_account_authority',
  doc: 'Never implemented by the original, which looks at no signer: true for an account that anybody may act for, refused for all others.',
  params: { account: coded(accountName), signers: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ valid: Type.Boolean() }),
  example: { params: { account: 'temp', signers: [] }, result: { valid: true } },
  stability: 'deprecated',
  refuses: { ...refuse.texts, ...authorityCheckRefusals },
  thread: 'read',

  handler({ account }, { rows, notation }) {
    if (rows.get(accounts, account) === undefined) refuse.no_such_account({ account });
    checkAuthorities(authorityLookup(rows), { active: [account], owner: [], other: [] }, [], notation.keyPrefix);
    return { valid: true };
  },
});
