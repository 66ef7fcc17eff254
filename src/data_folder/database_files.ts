import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../system/system_error.ts';
import { UNFINISHED } from '../system/whole_file.ts';

/** Names that RocksDB gives its files. */
const DATABASE_FILE =
  /^(?:CURRENT|IDENTITY|LOCK|LOG(?:\.old.*)?|MANIFEST-\d+|OPTIONS-\d+|\d+\.(?:sst|log|blob)|.*\.dbtmp|archive|lost)$/;

/** The files of the database in a folder, without its lock; none when there is no folder. */
export function databaseFiles(folder: string): string[] {
  return listNames(folder).filter((name) => name !== 'LOCK' && DATABASE_FILE.test(name));
}

/** The other files in the folder. */
export function otherFiles(folder: string): string[] {
  return listNames(folder).filter((name) => !DATABASE_FILE.test(name));
}

/** Removes unfinished files of killed processes, including the database's; this process must hold the lock. */
export function removeUnfinished(folder: string): void {
  for (const name of listNames(folder))
    if (name.endsWith('.dbtmp') || name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
