import { text } from '../../codec/primitives.ts';
import { secretOfSeed } from '../../crypto/brain_key.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { encodeWif } from '../../crypto/wif.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { command } from '../command.ts';
import { chainSymbols } from '../wallet.ts';

/** The keys that an account name and a password make, sha256 of both; nothing is stored. */
export const getPrivateKeyFromPasswordCommand = command({
  name: 'get_private_key_from_password',
  doc: 'The keys that an account name and a password make, sha256 of both; nothing is stored.',
  params: { account: text, account_password: text },
  example: 'get_private_key_from_password alice',
  secrets: ['account_password'],
  handler: async ({ account, account_password }, wallet) => {
    const secret = secretOfSeed(account + account_password);
    const key = Buffer.from(derivePublicKey(secret) ?? []).toString('hex');
    return [publicKeyText(key, (await chainSymbols(wallet)).keyPrefix), encodeWif(secret)];
  },
});
