import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { whyItFailed } from './system_error.ts';

/** The password in a file: its first line. Fault `configuration`, which shows nothing of it. */
export function passwordLine(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new Fault('configuration', `cannot read the password file ${path}: ${whyItFailed(cause)}`, cause);
  }
  const line = decodeText(bytes)?.split(/\r?\n/, 1)[0];
  if (line !== undefined && line !== '' && !line.includes('\0')) return line;
  throw new Fault(
    'configuration',
    `the password file ${path} is damaged: its first line is empty or no text; write the password there again`,
  );
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns advice for a wrong password from that file; '' for any other error. */
export function passwordFileAdvice(error: unknown, path: string): string {
  const isWrong = error instanceof Refusal && error.code === 'wrong_password';
  return isWrong ? `; the password was the first line of ${path}: correct it there` : '';
}
