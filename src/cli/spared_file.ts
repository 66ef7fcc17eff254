import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { onDisk } from '../system/system_error.ts';
import { isKeyFile } from '../wallet/key_file/read_key_file.ts';

/** A wallet of thousands of keys is shorter; a longer genesis says what it is further up. */
const LONGEST_BYTES = 4 * 1024 * 1024;
const GENESIS = /^\s*\{[^]*"initial_public_key"\s*:/;

/** The beginning of an output, and its name for people. */
interface OwnKind {
  readonly beginning: string;
  readonly name: string;
}

/**
 * Refuses an output in place of a file that nothing brings back: private keys, or a genesis. With `own` an output only
 * replaces a file that begins as it does. A mistyped flag must cost nobody such a file. Fault `configuration`.
 */
export function requireSpared(path: string, flag: string, own?: OwnKind): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return;
  const text = onDisk(`cannot read ${path}`, () => beginningOf(path, Math.min(found.size, LONGEST_BYTES)));
  if (isKeyFile(text)) throw spared(path, flag, 'holds private keys');
  if (GENESIS.test(text)) throw spared(path, flag, 'is a genesis');
  if (own !== undefined && !text.startsWith(own.beginning)) throw spared(path, flag, `is no ${own.name}`);
}

function beginningOf(path: string, bytes: number): string {
  const file = openSync(path, 'r');
  try {
    const read = Buffer.alloc(bytes);
    return read.toString('utf8', 0, readSync(file, read, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

function spared(path: string, flag: string, why: string): Fault {
  return new Fault('configuration', `${flag}: ${path} is there already and ${why}: name another file`);
}
