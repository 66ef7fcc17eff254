import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/setup/lock.js';

const run = promisify(execFile);
const module = new URL('../../scripts/setup/lock.js', import.meta.url).href;
const silent = () => undefined;

describe('the lock of the set-up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-lock-'));
  after(() => rmSync(folder, { recursive: true }));

  test('processes that want it at once work one after the other', async () => {
    const lock = join(folder, 'shared.lock');
    const diary = join(folder, 'diary');
    const program = `
      import { appendFileSync } from 'node:fs';
      import { withLock } from '${module}';
      withLock(process.argv[1], () => undefined, () => {
        appendFileSync(process.argv[2], '(');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
        appendFileSync(process.argv[2], ')');
      });`;
    // The first holder is dead already, so the others also compete for taking over.
    writeFileSync(lock, String(deadProcess()));
    await Promise.all(
      [1, 2, 3, 4].map(() => run(process.execPath, ['--input-type=module', '-e', program, lock, diary])),
    );
    assert.equal(readFileSync(diary, 'utf8'), '()()()()');
    assert.equal(existsSync(lock), false);
  });

  test("a dead holder's lock is taken over, and given back", () => {
    const lock = join(folder, 'stale.lock');
    writeFileSync(lock, String(deadProcess()));
    assert.equal(
      withLock(lock, silent, () => readFileSync(lock, 'utf8')),
      String(process.pid),
    );
    assert.equal(existsSync(lock), false);
  });

  test('work that fails gives it back', () => {
    const lock = join(folder, 'failed.lock');
    assert.throws(() => withLock(lock, silent, () => JSON.parse('{')), SyntaxError);
    assert.equal(existsSync(lock), false);
  });
});

/** The number of a process that has just ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}
