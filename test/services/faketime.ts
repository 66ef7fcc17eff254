import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/**
 * Returns the path of libfaketime: `faketime` tells it to the programs that it starts. Fails without the Debian
 * package.
 */
export function faketimeLibrary(): string {
  const { stdout, error } = spawnSync('faketime', ['-m', 'now', 'sh', '-c', 'echo "$LD_PRELOAD"'], {
    encoding: 'utf8',
  });
  const library = error === undefined ? (stdout.trim().split(':').at(-1) ?? '') : error.message;
  assert.match(library, /libfaketime.*\.so/, 'libfaketime is needed: the Debian package faketime');
  return library;
}
