import { appendFileSync, chmodSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { readText } from './key_file/read_key_file.ts';
import { replaceFile } from './key_file/replace_file.ts';

/** Most lines kept; nobody scrolls back further. */
const MOST_LINES = 1000;
const OWNER_ONLY = 0o600;

/** The typed lines, newest first. Only the owner can read the file; callers must keep secrets out. */
export function readHistory(path: string): string[] {
  const lines = (readText(path) ?? '').split('\n').filter((line) => line !== '');
  if (lines.length > MOST_LINES * 2) replaceFile(path, `${lines.slice(-MOST_LINES).join('\n')}\n`);
  return lines.slice(-MOST_LINES).toReversed();
}

/** Adds a line. A history that can't be written is no reason to stop, so the Fault is returned, not thrown. */
export function appendHistory(path: string, line: string): Fault | undefined {
  try {
    appendFileSync(path, `${line}\n`, { mode: OWNER_ONLY });
    chmodSync(path, OWNER_ONLY);
    return undefined;
  } catch (cause) {
    return new Fault('disk', `cannot write the history ${path}`, cause);
  }
}
