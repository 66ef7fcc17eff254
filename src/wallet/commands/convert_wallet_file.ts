import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Writes a wallet of the lineage in the format of this program, whose encryption is strong. */
export const convertWalletFileCommand = command({
  name: 'convert_wallet_file',
  doc: 'Writes a wallet of the lineage in the format of this program, whose encryption is strong. Asks for the password again, and keeps the old file beside it.',
  params: { password: text },
  example: 'convert_wallet_file',
  secrets: ['password'],
  needs: 'keys',
  local: true,
  handler: async ({ password }, { keys, person }) => {
    const backup = await keys.convert(password);
    person?.tell(`the old file is kept as ${backup}; its encryption is weak: remove it when the new one has opened`);
    return null;
  },
});
