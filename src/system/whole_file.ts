import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { onDisk } from './system_error.ts';

/** The suffix of unfinished files; whoever holds the folder's lock may remove them. */
export const UNFINISHED = '.pharos-tmp';

const FOR_ALL = 0o666; // less what the user's mask takes away

/** Writes a file atomically: a reader finds the old content or the new one, even after a power failure. */
export function writeWholeFile(path: string, content: string | Uint8Array, mode = FOR_ALL): void {
  onDisk(`cannot write ${path}`, () => {
    const unfinished = `${path}${UNFINISHED}`;
    const file = openSync(unfinished, 'w', mode);
    try {
      writeAll(file, content);
      renameSync(unfinished, path);
    } catch (error) {
      // It may be a key, and it fills a disk that is full.
      rmSync(unfinished, { force: true });
      throw error;
    }
    syncFolder(dirname(path));
  });
}

function writeAll(file: number, content: string | Uint8Array): void {
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder, so that the names in it survive a power failure. */
export function syncFolder(folder: string): void {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
