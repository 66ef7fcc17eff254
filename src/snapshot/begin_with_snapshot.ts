import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../base/fault.ts';
import { readPromise } from '../data_folder/folder_promise.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { onDisk } from '../system/system_error.ts';
import { chainOfSnapshot } from './chain_of_snapshot.ts';
import { download, fetchText, removeDownload, type DownloadParts } from './download.ts';
import { loadIntoFolder } from './load_into_folder.ts';
import { blamingDamage, inspectHeader } from './read_snapshot.ts';
import { LARGEST_SIGNATURE_FILE, signaturePath } from './signature_file.ts';
import type { SnapshotHeader } from './snapshot_schema.ts';
import { requireVouched, type Voucher } from './vouched.ts';

/** The start of a new node. */
export interface Beginning {
  /** A path, or a URL that begins with `file:`, `http:` or `https:`. */
  readonly source: string;
  readonly voucher: Voucher;
  /** The chain that is wanted; any when undefined. */
  readonly chainId: string | undefined;
  readonly profile: string;
  /** The folder of the new chain. */
  readonly folder: string;
}

/**
 * Makes the data folder of a node that has no chain yet; a folder with one stays as it is. What can't be taken leaves
 * nothing behind; what could only not be fetched to its end is gone on with at the next start. Faults as those of
 * `loadIntoFolder` and `download`.
 */
export async function beginWithSnapshot(beginning: Beginning, parts: DownloadParts): Promise<void> {
  const { source, folder } = beginning;
  if (readPromise(folder) !== undefined) {
    parts.log.notice(`${folder} holds a chain: the snapshot is not looked at`, 'snapshot_unneeded', {});
    return;
  }
  const local = localPath(source);
  if (local !== undefined) return await load(local, beginning, parts);
  const path = `${folder.replace(/\/+$/, '')}.snapshot`;
  onDisk(`cannot write ${path}`, () => mkdirSync(dirname(path), { recursive: true }));
  await download(source, path, parts);
  let isToBeGoneOnWith = false;
  try {
    await fetchSignature(path, beginning, parts);
    await load(path, beginning, parts);
  } catch (error) {
    isToBeGoneOnWith = error instanceof Fault && error.code === 'runtime';
    throw error;
  } finally {
    if (!isToBeGoneOnWith) for (const each of [path, signaturePath(path)]) removeDownload(each);
  }
}

/** Returns the path of a local snapshot; undefined for one to fetch. Fault `configuration`. */
export function localPath(source: string): string | undefined {
  if (/^https?:/i.test(source)) return undefined;
  if (!/^file:/i.test(source)) return source;
  try {
    return fileURLToPath(source);
  } catch (error) {
    throw new Fault('configuration', `snapshot: ${source} is no address of a file`, error);
  }
}

/** It lies beside the file, where it is needed. */
async function fetchSignature(path: string, { source, voucher }: Beginning, { clock }: DownloadParts): Promise<void> {
  if (voucher.isOwn || voucher.sha256 !== undefined || voucher.signedBy.length === 0) return;
  const address = new URL(source);
  address.pathname = signaturePath(address.pathname);
  const text = await fetchText(address.href, LARGEST_SIGNATURE_FILE, clock);
  if (text === undefined) throw new Fault('configuration', `there is no signature ${address.href}`);
  writeWholeFile(signaturePath(path), text);
}

/**
 * The header of a file that such a node can begin with. Fault `configuration` when it is of another chain,
 * `damaged_data` when it is none.
 */
export function requireHeader(
  path: string,
  { profile, chainId }: Pick<Beginning, 'profile' | 'chainId'>,
): SnapshotHeader {
  const header = inspectHeader(path);
  blamingDamage(path, () => requireProfile(header, profile));
  chainOfSnapshot(path, header, chainId);
  return header;
}

function requireProfile({ profile: found }: SnapshotHeader, wanted: string): void {
  if (found !== wanted)
    throw new Fault('configuration', `the snapshot is of a chain with profile ${found}: say profile = ${found}`);
}

async function load(
  path: string,
  { folder, voucher, chainId, profile }: Beginning,
  { log }: DownloadParts,
): Promise<void> {
  await requireVouched(path, voucher);
  const header = requireHeader(path, { profile, chainId });
  log.notice(`loading ${basename(path)}`, 'snapshot_loading', { block: header.block_number });
  await loadIntoFolder(path, folder, { chainId, isOwn: voucher.isOwn });
}
