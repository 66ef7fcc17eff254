import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { keyStoreRefusals } from '../key_store.ts';

/** Writes the wallet file; under another name, a copy of it. */
export const saveWalletFileCommand = command({
  name: 'save_wallet_file',
  doc: 'Writes the wallet file; under another name, a copy of it.',
  params: { wallet_filename: text },
  example: 'save_wallet_file "copy.json"',
  promptOnly: 'with a file name',
  local: true,
  inTurn: true,
  refuses: {
    wallet_new: keyStoreRefusals.wallet_new,
    wallet_changed: keyStoreRefusals.wallet_changed,
    plain_key_file: keyStoreRefusals.plain_key_file,
    file_is_no_wallet: keyStoreRefusals.file_is_no_wallet,
  },
  handler: ({ wallet_filename }, { keys }) => {
    keys.save(wallet_filename);
    return null;
  },
});
