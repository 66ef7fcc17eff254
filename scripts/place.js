import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, with a slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Absolute path of something in the project. */
export function inProject(...parts) {
  return join(root, ...parts);
}

/**
 * Paths of all files below `folder`, relative to the project and with slashes, sorted; none where the folder is
 * missing.
 */
export function listFiles(folder) {
  let entries;
  try {
    entries = readdirSync(inProject(folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  const found = [];
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...listFiles(path));
    else if (entry.isFile()) found.push(path);
  }
  return found.sort();
}
