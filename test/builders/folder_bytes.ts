import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of all files below a folder, links not followed. */
export function countBytes(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    sum += entry.isDirectory() ? countBytes(path) : lstatSync(path).size;
  }
  return sum;
}
