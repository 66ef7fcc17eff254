import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BEFORE_OPEN } from './before_open.ts';
import { databaseFiles } from './database_files.ts';
import { onDisk } from '../system_error.ts';

/**
 * A copy of a database for whoever only reads: RocksDB as we have it opens for writing only, and what opening changes must not happen
 * to the original. Tables, nearly all of it, are never changed, so the copy names those of the original; the log is copied.
 */
export function copyDatabase(folder: string): { readonly copy: string; readonly remove: () => void } {
  const kept = join(folder, BEFORE_OPEN);
  const source = resolve(existsSync(kept) ? kept : folder);
  return onDisk(`cannot copy the log of ${folder}`, () => {
    const copy = mkdtempSync(join(tmpdir(), 'pharos-copy-'));
    const remove = (): void => rmSync(copy, { recursive: true, force: true });
    try {
      for (const name of databaseFiles(source)) {
        const [from, to] = [join(source, name), join(copy, name)];
        if (name.endsWith('.sst')) symlinkSync(from, to);
        else copyFileSync(from, to, constants.COPYFILE_FICLONE);
      }
    } catch (error) {
      remove();
      throw error;
    }
    return { copy, remove };
  });
}
