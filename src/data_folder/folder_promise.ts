import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { HeadMark } from '../chain/ledger/head_journal.ts';
import type { HeadRecord } from '../state/head_record.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { databaseFiles, otherFiles } from './database_files.ts';
import { hasBlock, promisedHead } from './head_journal.ts';
import { IDENTITY_FILE, readIdentity, type Identity } from './identity.ts';
import { FROM_ELSEWHERE, wayOut } from './way_out.ts';

/** The claims of a folder's own files about its chain. */
export interface FolderPromise {
  readonly identity: Identity;
  /** The head that the database must have, or have had before its head. */
  readonly head: HeadMark;
}

/**
 * Files that may be in a folder where a chain is started: those that operators put there, and those of a fresh file
 * system.
 */
const HARMLESS = /^(?:\..*|lost\+found|genesis\.json|.*\.ini|pharos-.*)$/;

/**
 * Returns the folder's promise, or the reason why it can no longer be determined; undefined when a chain may be started
 * there.
 */
export function readPromise(folder: string): FolderPromise | Fault | undefined {
  try {
    const identity = readIdentity(folder);
    const isUnknown = identity === undefined && databaseFiles(folder).length > 0;
    if (isUnknown)
      return new Fault(
        'damaged_data',
        `${join(folder, IDENTITY_FILE)} is missing, and there is a database; ${wayOut()}`,
      );
    if (identity === undefined) requireEmpty(folder);
    if (identity === undefined || identity.state === 'begun') return undefined;
    requireCurrent(folder);
    return { identity, head: promisedHead(folder) };
  } catch (error) {
    if (error instanceof Fault && error.code === 'damaged_data') return error;
    throw error;
  }
}

/**
 * Returns the reason why the store lacks what its folder promises; undefined when it has the promised head, with or
 * without later blocks.
 */
export async function findLoss(
  folder: string,
  store: KeyValueReader,
  head: HeadRecord,
  promised: HeadMark,
): Promise<Fault | undefined> {
  const { head_block_number: last, state_hash } = head;
  const { number } = promised;
  const lost = (what: string): Fault =>
    new Fault(
      'damaged_data',
      `the database in ${folder} ${what}, which this node had: its log (*.log) is damaged, or files are older than others; ${wayOut(last)}`,
    );
  if (last < number)
    return lost(
      `ends at block ${last} and lacks ${last + 1 === number ? `block ${number}` : `blocks ${last + 1} to ${number}`}`,
    );
  if (last === number)
    return state_hash === promised.stateHash ? undefined : lost(`lacks the state behind block ${number}`);
  // A block is written before it is journalled, so one extra block is normal, and several after a power failure.
  const isThere = number === 0 || (await hasBlock(store, promised, last));
  return isThere === false ? lost(`lacks block ${promised.id}`) : undefined;
}

/**
 * A chain is started only in an empty folder: the path may be a mistake, and the files may belong to something else.
 */
function requireEmpty(folder: string): void {
  const strange = otherFiles(folder).find((name) => !HARMLESS.test(name));
  if (strange === undefined) return;
  throw new Fault(
    'configuration',
    `${folder} holds no chain but other files (${strange}): a chain is begun in an empty folder only`,
  );
}

/** RocksDB treats a folder without this file as empty. */
function requireCurrent(folder: string): void {
  const current = join(folder, 'CURRENT');
  const damaged = (what: string): Fault =>
    new Fault('damaged_data', `${what}, and there is a chain in the folder; ${FROM_ELSEWHERE}`);
  if (!existsSync(current)) throw damaged(`${current} is missing`);
  const manifest = readFileSync(current, 'latin1').trimEnd();
  if (!/^MANIFEST-\d+$/.test(manifest)) throw damaged(`${current} is damaged`);
  if (!existsSync(join(folder, manifest))) throw damaged(`${join(folder, manifest)} is missing`);
}
