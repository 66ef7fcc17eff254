import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { Fault } from '../../src/base/fault.ts';
import { lockFolder } from '../../src/data_folder/folder_lock.ts';

const FILE = 'pharos-lock.json';

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function assertInUse(folder: string, by: RegExp): void {
  assert.throws(
    () => lockFolder(folder, 'run'),
    (error) =>
      error instanceof Fault &&
      error.code === 'configuration' &&
      /is in use by another process/.test(error.message) &&
      by.test(error.message),
  );
}

test('a folder that is locked is refused until it is released, and nothing stays behind', (t) => {
  const folder = makeFolder(t);
  const release = lockFolder(folder, 'dev');
  assertInUse(folder, new RegExp(`\\b${process.pid}\\b`));
  release();
  assert.deepEqual(readdirSync(folder), []);
  lockFolder(folder, 'dev')();
});

/** A process that holds the lock of a folder, as this program would have written it. */
async function holder(
  t: TestContext,
  folder: string,
): Promise<{ readonly pid: number; readonly end: () => Promise<void> }> {
  const module = new URL('../../src/data_folder/folder_lock.js', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then((m) => { m.lockFolder(${JSON.stringify(folder)}, 'run'); console.log('locked'); setInterval(() => {}, 1000); })`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const end = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return { pid: child.pid ?? 0, end };
}

test('the lock of another process is named with its number and command, and taken over when that was killed', async (t) => {
  const folder = makeFolder(t);
  const { pid, end } = await holder(t, folder);
  assertInUse(folder, new RegExp(`process ${pid} \\(pharos run\\)`));
  await end();
  assert.ok(existsSync(join(folder, FILE)));
  const release = lockFolder(folder, 'dev');
  assert.match(readFileSync(join(folder, FILE), 'utf8'), new RegExp(`"pid":${process.pid}\\b`));
  release();
});

test('a number that another process has by now, or that says nothing, locks nobody out', (t) => {
  const folder = makeFolder(t);
  const left = [
    // A container in which each program gets the same number again.
    JSON.stringify({ pid: process.pid, began: '1', command: 'run' }),
    JSON.stringify({ pid: process.ppid, began: '1', command: 'run' }),
    // The machine has started again since.
    JSON.stringify({ pid: process.ppid, boot: 'another', command: 'run' }),
    '',
    '{"pid":',
    '[]',
    '{"pid":"x"}',
  ];
  for (const text of left) {
    writeFileSync(join(folder, FILE), text);
    lockFolder(folder, 'run')();
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('of many processes that want a folder at once one gets it', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, FILE), '{"pid":1,"boot":"another"}');
  const module = new URL('../../src/data_folder/folder_lock.js', import.meta.url).href;
  // Each lives until all have tried.
  const script = `import(${JSON.stringify(module)}).then((m) => { process.stdin.resume(); try { m.lockFolder(${JSON.stringify(folder)}, 'run'); console.log('locked'); } catch { console.log('refused'); } })`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  t.after(() => children.forEach((child) => child.kill('SIGKILL')));
  const outcomes = await Promise.all(
    children.map(async (child) => String((await once(child.stdout, 'data'))[0]).trim()),
  );
  assert.deepEqual(outcomes.toSorted(), ['locked', ...Array.from({ length: 5 }, () => 'refused')]);
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin.end();
  await Promise.all(ends);
});
