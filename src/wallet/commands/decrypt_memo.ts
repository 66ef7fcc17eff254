import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { openMemo } from '../memo.ts';

/** The text of an encrypted memo; the memo itself when the wallet is locked or has neither key. */
export const decryptMemoCommand = command({
  name: 'decrypt_memo',
  doc: 'The text of an encrypted memo; the memo itself when the wallet is locked or has neither key.',
  params: { encrypted_memo: text },
  example: 'decrypt_memo "#4Zp…"',
  needs: 'keys if unlocked',
  local: true,
  handler: ({ encrypted_memo }, wallet) => openMemo(wallet, encrypted_memo),
});
