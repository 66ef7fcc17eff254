import { keyOfPhrase, randomBrainKey } from '../brain_key.ts';
import { command } from '../command.ts';
import { chainSymbols } from '../wallet.ts';

/** A new phrase to write down, and the keys that it makes; nothing is stored. */
export const suggestBrainKeyCommand = command({
  name: 'suggest_brain_key',
  doc: 'A new phrase to write down, and the keys that it makes; nothing is stored.',
  params: {},
  example: 'suggest_brain_key',
  handler: async (_, wallet) => {
    const phrase = randomBrainKey();
    const { wif, publicKey: key } = keyOfPhrase(phrase, (await chainSymbols(wallet)).keyPrefix);
    return { brain_priv_key: phrase, wif_priv_key: wif, pub_key: key };
  },
});
