import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Writes a wallet of the lineage in the format of this program, whose encryption is strong. */
export const convertWalletFileCommand = command({
  name: 'convert_wallet_file',
  doc: 'Writes a wallet of the lineage in the format of this program, whose encryption is strong. Asks for the password again.',
  params: { password: text },
  example: 'convert_wallet_file',
  secrets: ['password'],
  needs: 'keys',
  local: true,
  handler: async ({ password }, { keys }) => {
    await keys.convert(password);
    return null;
  },
});
