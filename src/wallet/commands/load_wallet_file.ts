import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Reads another wallet file, "" the same one again, and locks. */
export const loadWalletFileCommand = command({
  name: 'load_wallet_file',
  doc: 'Reads another wallet file, "" the same one again, and locks. False when there is no such file.',
  params: { wallet_filename: text },
  example: 'load_wallet_file ""',
  promptOnly: 'with a file name',
  local: true,
  inTurn: true,
  handler: ({ wallet_filename }, { keys }) => keys.load(wallet_filename),
});
