import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { requireDiskFormat } from '../state/head_record.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import { parseMembers } from '../system/json_members.ts';
import { onDisk } from '../system/system_error.ts';
import { wayOut } from './way_out.ts';
import { writeWholeFile } from '../system/whole_file.ts';

export const IDENTITY_FILE = 'pharos-identity.json';

/** The record of a data folder about itself, outside the database. */
export type Identity =
  /** A chain is being started; the files may be discarded, because nothing was ever acknowledged. */
  | { readonly state: 'begun' }
  /** There is a chain: if it can't be found, a new one must not be started in its place. */
  | { readonly state: 'complete'; readonly chainId: string; readonly diskFormat: number };

/** The format of this file, not of the rows. */
const FILE_FORMAT = 1;

/**
 * The identity of a folder; undefined where it has none. Fault `damaged_data` when the file isn't as it was written.
 */
export function readIdentity(folder: string): Identity | undefined {
  const path = join(folder, IDENTITY_FILE);
  if (!existsSync(path)) return undefined;
  const text = onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8'));
  const identity = parseIdentity(text);
  if (identity === undefined)
    throw new Fault('damaged_data', `${path} is damaged: it says which chain lies in the folder; ${wayOut()}`);
  return identity;
}

/**
 * Throws Fault `configuration` when the folder holds a chain other than the requested one, or rows that this program
 * can't read.
 */
export function requireIdentity(identity: Identity, chainId: string): void {
  if (identity.state !== 'complete') return;
  requireDiskFormat(identity.diskFormat);
  if (identity.chainId !== chainId)
    throw new Fault('configuration', `the data is of chain ${identity.chainId}, the genesis of chain ${chainId}`);
}

export function writeIdentity(folder: string, identity: Identity): void {
  const body = { format: FILE_FORMAT, ...identity };
  writeWholeFile(join(folder, IDENTITY_FILE), `${JSON.stringify({ ...body, sum: bodySum(body) }, undefined, 2)}\n`);
}

function parseIdentity(text: string): Identity | undefined {
  const members = parseMembers(text);
  if (members === undefined) return undefined;
  const { sum, ...body } = members;
  // Anything after the checksum or between the members counts as damage, too.
  if (sum !== bodySum(body) || text !== `${JSON.stringify(members, undefined, 2)}\n`) return undefined;
  const { state, chainId, diskFormat } = body;
  if (state === 'begun') return { state };
  return state === 'complete' && typeof chainId === 'string' && typeof diskFormat === 'number'
    ? { state, chainId, diskFormat }
    : undefined;
}

function bodySum(body: Readonly<Record<string, unknown>>): string {
  return sha256Hex(Buffer.from(JSON.stringify(body)));
}
