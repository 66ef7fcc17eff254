import { encodeWif } from '../../crypto/wif.ts';
import { publicKey, publicKeyText } from '../../values/public_key.ts';
import { command } from '../command.ts';
import { keyStoreRefusals } from '../key_store.ts';
import { chainSymbols } from '../wallet.ts';

/** The private key of a public key of this wallet. */
export const getPrivateKeyCommand = command({
  name: 'get_private_key',
  doc: 'The private key of a public key of this wallet; not over RPC.',
  params: { pubkey: publicKey },
  example: 'get_private_key PHR7x5qt7TjsBDcCpPT8VrKhjyx2SavHuqqMaTzs3Wo3F8UjP9rNy',
  promptOnly: 'always',
  needs: 'keys',
  refuses: { key_not_in_wallet: keyStoreRefusals.key_not_in_wallet },
  handler: async ({ pubkey }, wallet) =>
    encodeWif(wallet.keys.secretOf(pubkey, publicKeyText(pubkey, (await chainSymbols(wallet)).keyPrefix))),
});
