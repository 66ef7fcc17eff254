import { accessSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { openFolderCopy } from '../data_folder/folder_copy.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { cleaningUp } from '../system/first_cause.ts';
import { chainOfSnapshot } from '../snapshot/chain_of_snapshot.ts';
import { fileSum } from '../snapshot/file_sum.ts';
import { loadIntoFolder } from '../snapshot/load_into_folder.ts';
import { inspectHeader } from '../snapshot/read_snapshot.ts';
import { writeSnapshot } from '../snapshot/write_snapshot.ts';
import { onDisk } from '../system/system_error.ts';
import { chainFolder, genesisPath, noteSeed } from './dev_folder.ts';
import { deriveDevKey } from './dev_genesis.ts';
import type { JoinedChain } from './joined_chain.ts';

/** Further options of a state file's user. */
export interface StateFileOptions {
  readonly fresh: boolean;
  readonly seed: string;
}

/** Says which file the chain beside it began with. */
const ORIGIN_FILE = 'began_with.txt';
const NOTHING = 'no file';

/**
 * The file that a development chain lies in while it doesn't run. While it does, it is in a folder beside the file;
 * what is killed is found there by the next start.
 */
export class StateFile {
  readonly path: string;
  readonly dataDir: string;
  /** The symbols of the chain that was loaded; undefined where there was nothing to load. */
  readonly profileName: string | undefined;
  readonly #isNew: boolean;
  #hasStarted = false;

  private constructor(path: string, profileName: string | undefined, isNew: boolean) {
    this.path = path;
    this.dataDir = runningFolder(path);
    this.profileName = profileName;
    this.#isNew = isNew;
  }

  /**
   * Loads what is in the file, if there is one. Fault `configuration` when it can't be the chain's, `damaged_data` when
   * it is damaged.
   */
  static async open(path: string, options: StateFileOptions): Promise<StateFile> {
    requirePlace(path);
    const sum = existsSync(path) ? await fileSum(path) : NOTHING;
    const profileName = sum === NOTHING || options.fresh ? undefined : inspectHeader(path).profile;
    const file = new StateFile(path, profileName, !(await holdsChain(path, options.fresh)));
    if (!file.#isNew) requireSameOrigin(path, sum);
    else await file.#begin(sum, options);
    return file;
  }

  /** A remark about the beginning for its user; undefined when it began as asked. */
  get remark(): string | undefined {
    return this.#isNew ? undefined : `${this.dataDir} has the chain of a run that was killed: it goes on`;
  }

  /** From now on the folder has what the file lacks. */
  started(): void {
    this.#hasStarted = true;
  }

  /** Takes back what was prepared, unless the chain has started. */
  abandon(): void {
    if (this.#isNew && !this.#hasStarted)
      onDisk(`cannot remove ${this.dataDir}`, () => rmSync(this.dataDir, { recursive: true, force: true }));
  }

  /**
   * Writes the head of the stopped chain, with all blocks that it has, and removes the folder. Fault `disk` leaves both
   * as they were.
   */
  async dump({ profileName, genesisText: genesis }: JoinedChain): Promise<void> {
    const parameters = readParameters({ profileName, genesisText: genesis, initialSigningKey: undefined });
    const { store, loss, close } = await openFolderCopy(chainFolder(this.dataDir), 'dev');
    await cleaningUp(async () => {
      if (loss !== undefined) throw loss;
      await writeSnapshot(this.path, { store, parameters, genesis, withBlocks: true, ofHead: true });
    }, close);
    onDisk(`cannot remove ${this.dataDir}`, () => rmSync(this.dataDir, { recursive: true, force: true }));
  }

  /** The note first: a run that is killed is recognised by it. */
  async #begin(sum: string, options: StateFileOptions): Promise<void> {
    try {
      writeWholeFile(join(this.dataDir, ORIGIN_FILE), `${sum}\n`);
      if (this.profileName !== undefined) await load(this.path, options);
    } catch (error) {
      this.abandon();
      throw error;
    }
  }
}

function runningFolder(path: string): string {
  return `${path}.running`;
}

/** Before there is anything to lose. */
function requirePlace(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) throw new Fault('configuration', `--state: ${path} is no file`);
  const folder = dirname(path);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Fault(
      'configuration',
      `--state: nothing can be written into ${folder}: ${error instanceof Error ? error.message : ''}`,
      error,
    );
  }
}

/** True when the folder holds a chain that is to go on. Fault when another process uses it. */
async function holdsChain(path: string, fresh: boolean): Promise<boolean> {
  const folder = await DataFolder.lock(chainFolder(runningFolder(path)), 'dev');
  try {
    if (fresh) folder.abandon();
    return folder.holdsChain;
  } finally {
    folder.release();
  }
}

function requireSameOrigin(path: string, sum: string): void {
  const [dataDir, note] = [runningFolder(path), join(runningFolder(path), ORIGIN_FILE)];
  const origin = existsSync(note) ? onDisk(`cannot read ${note}`, () => readFileSync(note, 'utf8')).trim() : '';
  const isKnown = origin === NOTHING || /^[0-9a-f]{64}$/.test(origin);
  // Where there is no file there is nothing besides to lose.
  if (origin === sum || (!isKnown && sum === NOTHING)) return;
  if (!isKnown)
    throw new Fault(
      'damaged_data',
      `${note} is missing or damaged, so it is not known whether the chain in ${dataDir}, of a run that was killed, began with ${path}: remove the one that you don't want`,
    );
  throw new Fault(
    'configuration',
    `${dataDir} has the chain of a run that was killed, and ${path} is not the file that it began with, says ${note}: remove the one that you don't want`,
  );
}

async function load(path: string, { seed }: StateFileOptions): Promise<void> {
  const { initialSigningKey } = chainOfSnapshot(path, inspectHeader(path));
  if (initialSigningKey !== deriveDevKey('initminer', seed))
    throw new Fault(
      'configuration',
      `the chain in ${path} is no development chain with this --seed: say the seed that it was made with; of any other chain, --fork ${path} makes one`,
    );
  const dataDir = runningFolder(path);
  await loadIntoFolder(path, chainFolder(dataDir), { isOwn: true, genesisFile: genesisPath(dataDir) });
  noteSeed(dataDir, seed);
}
