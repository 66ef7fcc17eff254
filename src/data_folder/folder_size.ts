import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { MEBIBYTE } from '../base/bytes.ts';

/** Of a database that clears away old files after it has written new ones, less than that on the disk is soon none. */
export const FEW_FREE_BYTES = 1024 * MEBIBYTE;

/**
 * The bytes of the files in a folder; one that goes meanwhile counts nothing. Undefined when the folder can't be read.
 */
export async function bytesOfFiles(folder: string): Promise<number | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      entries.filter((entry) => entry.isFile()).map((entry) => folderSize(join(entry.parentPath, entry.name))),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return undefined;
  }
}

/**
 * Returns the bytes that users other than root have left on the disk of a folder; undefined when the system doesn't
 * tell.
 */
export async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

async function folderSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
