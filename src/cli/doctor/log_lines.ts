import { execFile } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { onDisk } from '../../system/system_error.ts';

const MOST_LINES = 1000;
/** A line of the log has seldom more than a few hundred bytes. */
const MOST_BYTES = 1_000_000;
const ANSWER_MS = 10_000;

/** The last lines of a log file, or those that the journal of this machine has of a process. */
export async function lastLogLines(file: string | undefined, pid: number | undefined): Promise<readonly string[]> {
  const text = file === undefined ? await ofJournal(pid) : fileEnd(file);
  return text.trimEnd().split('\n').slice(-MOST_LINES);
}

function fileEnd(path: string): string {
  return onDisk(`cannot read ${path}`, () => {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8', 0, read);
    } finally {
      closeSync(file);
    }
  });
}

/** Empty where the machine has no journal, or this user may not read it. */
function ofJournal(pid: number | undefined): Promise<string> {
  if (pid === undefined) return Promise.resolve('');
  const words = [`_PID=${pid}`, '-n', String(MOST_LINES), '-o', 'cat', '--no-pager', '--quiet'];
  return new Promise((resolve) => {
    execFile('journalctl', words, { timeout: ANSWER_MS, maxBuffer: 16 * MOST_BYTES }, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    );
  });
}
