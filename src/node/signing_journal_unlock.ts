import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { lineOf, readJournal } from './signing_journal_lines.ts';
import { onDisk } from './system_error.ts';

/**
 * Lets keys sign again, also those of a running node or signer, which reads what is added. So the file is only appended to, never
 * written anew: whoever has it open would go on with the old one. Fault `disk` when that fails.
 */
export function unlockKeys(path: string, keys: readonly { readonly chain: Digest; readonly key: PublicKey }[]): void {
  const { bytes, damagedLine } = readJournal(path);
  const lines = keys.map(({ chain, key }) => lineOf({ kind: 'unlocked', chain, key })).join('');
  onDisk(`cannot write ${path}`, () => {
    const file = openSync(path, 'a');
    try {
      const isTorn = fstatSync(file).size > bytes;
      // What a failure of power has cut off was signed by nobody; a damaged journal stays as it is.
      if (isTorn && damagedLine === undefined) ftruncateSync(file, bytes);
      const bytesToWrite = Buffer.from(isTorn && damagedLine !== undefined ? `\n${lines}` : lines);
      if (writeSync(file, bytesToWrite) < bytesToWrite.length)
        throw new Fault('disk', `cannot write ${path}: the system takes no more bytes`);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}
