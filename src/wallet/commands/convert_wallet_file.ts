import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { keyStoreRefusals } from '../key_store.ts';
import { refusePassword } from '../key_file/contents.ts';

/** Writes a wallet of the lineage in the format of this program, whose encryption is strong. */
export const convertWalletFileCommand = command({
  name: 'convert_wallet_file',
  doc: 'Writes a wallet of the lineage in the format of this program, whose encryption is strong. Asks for the password again, and keeps the old file beside it.',
  params: { password: text },
  example: 'convert_wallet_file',
  secrets: ['password'],
  needs: 'keys',
  local: true,
  refuses: {
    ...refusePassword.texts,
    not_a_lineage_file: keyStoreRefusals.not_a_lineage_file,
    plain_key_file: keyStoreRefusals.plain_key_file,
  },
  handler: async ({ password }, { keys, person }) => {
    const backup = await keys.convert(password);
    person?.tell(`the old file is kept as ${backup}; its encryption is weak: remove it when the new one has opened`);
    return null;
  },
});
