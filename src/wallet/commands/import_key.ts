import { refusals } from '../../base/refusal.ts';
import { text } from '../../codec/primitives.ts';
import { decodeWif, wifFault } from '../../crypto/wif.ts';
import { command } from '../command.ts';
import { keyStoreRefusals } from '../key_store.ts';

const refuse = refusals({
  invalid_private_key: {
    text: 'the private key {fault}',
    lineage: 'Invalid private key',
  },
});

/** Adds a private key to the wallet and writes its file. */
export const importKeyCommand = command({
  name: 'import_key',
  doc: 'Adds a private key to the wallet and writes its file.',
  params: { wif_key: text },
  example: 'import_key',
  secrets: ['wif_key'],
  needs: 'keys',
  local: true,
  refuses: {
    ...refuse.texts,
    wallet_changed: keyStoreRefusals.wallet_changed,
    plain_key_file: keyStoreRefusals.plain_key_file,
  },
  handler: ({ wif_key }, { keys }) => {
    keys.importSecrets([decodeWif(wif_key) ?? refuse.invalid_private_key({ fault: wifFault(wif_key) })]);
    return true;
  },
});
