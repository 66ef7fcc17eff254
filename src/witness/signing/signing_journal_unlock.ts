import { existsSync, readFileSync } from 'node:fs';
import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { formatLine } from './signing_journal_lines.ts';
import { appendSynced } from '../../system/synced_file.ts';
import { onDisk } from '../../system/system_error.ts';
import { VOTES_SUFFIX } from './voting_journal_file.ts';
import { journalText } from './voting_journal_lines.ts';

interface ChainKey {
  readonly chain: Digest;
  readonly key: PublicKey;
}

/**
 * Lets keys sign again, also those of a running node or signer, which reads what is added. So the file is only appended
 * to, never cut down or written anew: a record of a slot that was signed meanwhile would be gone. Fault `disk` when
 * that fails.
 *
 * The journals of votes end first: a machine may have stopped between the lock and that end.
 */
export function unlockKeys(path: string, keys: readonly ChainKey[]): void {
  const votes = `${path}${VOTES_SUFFIX}`;
  const ends = keys.map(({ chain, key }) => journalText({ chain, key, hasEnded: true, changed: {} }));
  if (existsSync(votes)) appendSynced(votes, onNewLine(votes, ends));
  appendSynced(path, unlockingText(path, keys));
}

/** Returns the text to append to a signing journal. */
export function unlockingText(path: string, keys: readonly ChainKey[]): string {
  return onNewLine(
    path,
    keys.map(({ chain, key }) => formatLine({ kind: 'unlocked', chain, key })),
  );
}

/** Behind a line that a failure of power has cut off these begin a new one; that one counts as damaged then. */
function onNewLine(path: string, lines: readonly string[]): string {
  const text = onDisk(`cannot read ${path}`, () => readFileSync(path, 'latin1'));
  return `${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('')}`;
}
