import { text } from '../../codec/primitives.ts';
import { keyOfPhrase, randomBrainKey } from '../brain_key.ts';
import { broadcastFlag, command } from '../command.ts';
import { keyStoreRefusals } from '../key_store.ts';
import { creationRefusals, makeCreation } from '../new_account.ts';
import { chainName } from '../params.ts';
import { send, sendingRefusals } from '../send.ts';
import { chainSymbols } from '../wallet.ts';

/** Makes an account with three new keys, which go into the wallet. */
export const createAccountCommand = command({
  name: 'create_account',
  doc: 'Makes an account with three new keys, which go into the wallet and its file before anything is sent; list_keys shows them.',
  params: { creator: chainName, name_seed: text, json_meta: text, broadcast: broadcastFlag },
  example: 'create_account alice "carol" "{}" true',
  needs: 'keys',
  refuses: {
    ...creationRefusals,
    ...sendingRefusals,
    wallet_changed: keyStoreRefusals.wallet_changed,
    plain_key_file: keyStoreRefusals.plain_key_file,
  },

  async handler({ creator, name_seed, json_meta, broadcast }, wallet) {
    const { keyPrefix } = await chainSymbols(wallet);
    const [owner, active, memo] = [1, 2, 3].map(() => keyOfPhrase(randomBrainKey(), keyPrefix).secret);
    const keys = wallet.keys.importSecrets([owner, active, memo].filter((secret) => secret !== undefined));
    const [owner_key = '', active_key = '', memo_key = ''] = keys;
    return await send(
      wallet,
      [await makeCreation(wallet, { creator, name_seed, json_meta, owner_key, active_key, memo_key })],
      broadcast,
    );
  },
});
