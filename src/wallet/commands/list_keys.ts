import { encodeWif } from '../../crypto/wif.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { command } from '../command.ts';
import { showKeys } from '../show/text.ts';
import { chainSymbols } from '../wallet.ts';

/** All keys of the wallet with their private keys. */
export const listKeysCommand = command({
  name: 'list_keys',
  doc: 'All keys of the wallet with their private keys; not over RPC.',
  params: {},
  example: 'list_keys',
  promptOnly: 'always',
  needs: 'keys',
  show: showKeys,
  handler: async (_, wallet) => {
    const { keyPrefix } = await chainSymbols(wallet);
    return wallet.keys.keys().map(([key, secret]) => [publicKeyText(key, keyPrefix), encodeWif(secret)]);
  },
});
