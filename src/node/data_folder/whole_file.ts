import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { onDisk } from '../system_error.ts';

/** Files of this kind are half written; whoever has the folder may remove them. */
export const UNFINISHED = '.pharos-tmp';

/** Puts a file there as a whole: whatever happens meanwhile, a reader finds the old text or the new one, also after a power failure. */
export function writeWholeFile(path: string, text: string): void {
  onDisk(`cannot write ${path}`, () => {
    const unfinished = `${path}${UNFINISHED}`;
    const file = openSync(unfinished, 'w');
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    syncFolder(dirname(path));
  });
}

/** Makes the names in a folder survive a power failure. */
export function syncFolder(folder: string): void {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
