import { readFileSync } from 'node:fs';
import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { formatLine } from './signing_journal_lines.ts';
import { appendSynced } from '../../system/synced_file.ts';
import { onDisk } from '../../system/system_error.ts';

/**
 * Lets keys sign again, also those of a running node or signer, which reads what is added. So the file is only appended
 * to, never cut down or written anew: a record of a slot that was signed meanwhile would be gone. Fault `disk` when
 * that fails.
 */
export function unlockKeys(path: string, keys: readonly { readonly chain: Digest; readonly key: PublicKey }[]): void {
  appendSynced(path, unlockingText(path, keys));
}

/**
 * Returns the text to append. Behind a line that a failure of power has cut off it begins a new one; that one counts as
 * damaged then.
 */
export function unlockingText(
  path: string,
  keys: readonly { readonly chain: Digest; readonly key: PublicKey }[],
): string {
  const lines = keys.map(({ chain, key }) => formatLine({ kind: 'unlocked', chain, key })).join('');
  const isWhole = onDisk(`cannot read ${path}`, () => readFileSync(path, 'latin1')).endsWith('\n');
  return isWhole ? lines : `\n${lines}`;
}
