import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { encryptIfMarked, memoRefusals } from '../memo.ts';
import { chainName } from '../params.ts';

/** A memo that starts with #, encrypted for its sender and its receiver; any other as it is. */
export const getEncryptedMemoCommand = command({
  name: 'get_encrypted_memo',
  doc: 'A memo that starts with #, encrypted for its sender and its receiver; any other as it is.',
  params: { from: chainName, to: chainName, memo: text },
  example: 'get_encrypted_memo alice bob "#only for you"',
  needs: 'keys if unlocked',
  refuses: memoRefusals,
  handler: ({ from, to, memo }, wallet) => encryptIfMarked(wallet, from, to, memo),
});
