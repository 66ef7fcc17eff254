import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFiles } from './database_files.ts';
import { onDisk, systemErrorCode } from '../system/system_error.ts';
import { syncFolder } from '../system/whole_file.ts';

export const BEFORE_OPEN = 'pharos-before-open';
const IN_THE_MAKING = `${BEFORE_OPEN}.new`;
const DONE_WITH = `${BEFORE_OPEN}.old`;

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EMLINK',
]);

/**
 * Keeps the files of a database as they are, with hard links. Opening reads the write-ahead log up to the first damage,
 * moves that part into table files and deletes the log: if blocks then turn out to be missing, the rest of the log
 * could no longer be recovered. RocksDB never changes a finished file, so the links preserve everything. On a file
 * system without hard links nothing is kept.
 */
export function keepBeforeOpen(folder: string): void {
  rmSync(join(folder, DONE_WITH), { recursive: true, force: true });
  const making = join(folder, IN_THE_MAKING);
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making);
  try {
    for (const name of databaseFiles(folder)) linkSync(join(folder, name), join(making, name));
    renameSync(making, join(folder, BEFORE_OPEN));
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!NO_LINKS.has(systemErrorCode(error))) throw error;
  }
}

/** Call when the database is complete: the kept files are no longer needed. */
export function forgetBeforeOpen(folder: string): void {
  if (!existsSync(join(folder, BEFORE_OPEN))) return;
  // A rename is atomic, so a part of the folder is never taken for all of it.
  renameSync(join(folder, BEFORE_OPEN), join(folder, DONE_WITH));
  rmSync(join(folder, DONE_WITH), { recursive: true, force: true });
}

/** Restores the files as they were before the database was opened, even if the process that opened it was killed. */
export function restoreBeforeOpen(folder: string): void {
  const kept = join(folder, BEFORE_OPEN);
  if (!existsSync(kept)) return;
  onDisk(`cannot bring back the files of ${kept}`, () => {
    const names = new Set(readdirSync(kept));
    for (const name of databaseFiles(folder))
      if (!names.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
    for (const name of names) bringBack(join(kept, name), join(folder, name));
    syncFolder(folder);
    forgetBeforeOpen(folder);
  });
}

function bringBack(kept: string, path: string): void {
  if (existsSync(path) && statSync(path).ino === statSync(kept).ino) return;
  rmSync(path, { force: true });
  linkSync(kept, path);
}
