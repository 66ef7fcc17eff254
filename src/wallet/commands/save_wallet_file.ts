import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Writes the wallet file; under another name, a copy of it. */
export const saveWalletFileCommand = command({
  name: 'save_wallet_file',
  doc: 'Writes the wallet file; under another name, a copy of it.',
  params: { wallet_filename: text },
  example: 'save_wallet_file "copy.json"',
  promptOnly: 'with a file name',
  local: true,
  inTurn: true,
  handler: ({ wallet_filename }, { keys }) => {
    keys.save(wallet_filename);
    return null;
  },
});
