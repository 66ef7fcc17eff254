import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../system_error.ts';
import { UNFINISHED } from './whole_file.ts';

/** Names that RocksDB gives its files. */
const DATABASE_FILE = /^(?:CURRENT|IDENTITY|LOCK|LOG(?:\.old.*)?|MANIFEST-\d+|OPTIONS-\d+|\d+\.(?:sst|log|blob)|.*\.dbtmp|archive|lost)$/;

/** The files of the database in a folder, its lock left out; none when there is no folder. */
export function databaseFiles(folder: string): string[] {
  return namesIn(folder).filter((name) => name !== 'LOCK' && DATABASE_FILE.test(name));
}

/** What else lies there. */
export function otherFiles(folder: string): string[] {
  return namesIn(folder).filter((name) => !DATABASE_FILE.test(name));
}

/** Removes what a process that was killed had not finished, the database's included; the folder must be ours. */
export function removeUnfinished(folder: string): void {
  for (const name of namesIn(folder)) if (name.endsWith('.dbtmp') || name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
