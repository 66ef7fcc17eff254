import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { accountName, canonicalName, type AccountName } from './account_name.ts';

/**
 * The name of an application as the state knows it: 24 bytes like an account's, made from any text as far as that can be read
 * (chain.md 2.2). Whoever asks for an application by its text finds the one that was made with it.
 */
export const applicationName: Codec<AccountName> = {
  ...accountName,
  fromJson: (json) => {
    if (typeof json !== 'string') return mismatch('the name of an application', json);
    return canonicalName(json) ?? mismatch('the name of an application that is not all A', json);
  },
  describe: () => ({ type: 'string', description: 'name of an application' }),
};
