import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { accountName, canonicalName, type AccountName } from './account_name.ts';

/**
 * The name of an application in the state: 24 bytes like an account name, from the valid beginning of any text
 * (chain.md 2.2). Looking up an application by the text it was created with finds it.
 */
export const applicationName: Codec<AccountName, string> = {
  ...accountName,
  fromJson: (json) => {
    if (typeof json !== 'string') return mismatch('the name of an application', json);
    return canonicalName(json) ?? mismatch('the name of an application that is not all A', json);
  },
  describe: () => ({ type: 'string', description: 'name of an application; its valid beginning is not all A' }),
};
