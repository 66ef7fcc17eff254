import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BEFORE_OPEN } from './before_open.ts';
import { databaseFiles } from './database_files.ts';
import { onDisk } from '../system_error.ts';

/**
 * A copy of a database for reading only: our RocksDB binding can only open for writing, and opening must not change the original.
 * Table files, nearly all of the data, never change, so the copy links to them; the write-ahead log is copied.
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
