import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { onDisk } from '../system/system_error.ts';
import { FROM_ELSEWHERE } from './way_out.ts';
import { writeWholeFile } from '../system/whole_file.ts';

export const FOREIGN_HEAD_FILE = 'foreign_head';

/**
 * Says in the data folder that the chain begins with a block that a file of somebody else's has, and no peer has
 * confirmed yet.
 */
export function noteForeignHead(
  folder: string,
  { number, id }: { readonly number: number; readonly id: string },
): void {
  writeWholeFile(join(folder, FOREIGN_HEAD_FILE), `${number} ${id}\n`);
}

/** The number of that block; undefined where there is none. Fault `damaged_data` when it can't be told. */
export function foreignHead(folder: string): number | undefined {
  const path = join(folder, FOREIGN_HEAD_FILE);
  if (!existsSync(path)) return undefined;
  const text = onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8'));
  const [, number] = /^(\d{1,10}) [0-9a-f]{40}\n$/.exec(text) ?? [];
  if (number === undefined)
    throw new Fault(
      'damaged_data',
      `${path} is damaged: it says which block of a snapshot peers have to confirm; ${FROM_ELSEWHERE}`,
    );
  return Number(number);
}

/** Fault `configuration` where there is one: without peers nobody could say that it is the chain's. */
export function requireNoForeignHead(folder: string): void {
  const number = foreignHead(folder);
  if (number === undefined) return;
  throw new Fault(
    'configuration',
    `the chain in ${folder} begins with block ${number} of somebody else's snapshot, which peers must confirm: give p2p-seed-node`,
  );
}

/** Peers have confirmed it. */
export function forgetForeignHead(folder: string): void {
  const path = join(folder, FOREIGN_HEAD_FILE);
  onDisk(`cannot remove ${path}`, () => rmSync(path, { force: true }));
}
