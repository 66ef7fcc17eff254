import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { readPromise } from '../../../data_folder/folder_promise.ts';
import { requireIdentity } from '../../../data_folder/identity.ts';
import type { OptionValues } from '../../../settings/options.ts';
import { onDisk } from '../../../system/system_error.ts';
import type { Check } from '../check.ts';
import { readChainId } from '../facts.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';

const ROOT = 0;

/**
 * Checks that the folder holds a chain that this program can continue, and has one owner; the database itself stays
 * closed.
 */
export const dataFolder: Check = ({ values, dataFolder: folder }) => {
  try {
    if (onDisk(`cannot read ${folder}`, () => fileOwner(folder)) === undefined)
      return [ok(`there is no ${folder} yet; the first start makes it`)];
    return [checkChain(folder, values), ...onDisk(`cannot read ${folder}`, () => owners(folder))];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [unreadable(folder, error)];
  }
};

function checkChain(folder: string, values: OptionValues): Finding {
  const promise = onDisk(`cannot read ${folder}`, () => readPromise(folder));
  if (promise === undefined) return ok(`${folder} holds no chain yet; the first start begins it`);
  if (promise instanceof Fault) return wrong(promise.message, 'pharos verify reads what is there');
  const { identity } = promise;
  const known = readChainId(values) ?? identityText(identity);
  // Of another version nothing else is known for sure.
  return (
    refused(() => requireIdentity(identity, identityText(identity)), OTHER_VERSION) ??
    refused(() => requireIdentity(identity, known), 'name the data-dir or the genesis-json that belongs to it') ??
    ok(`${folder} holds the chain, with block ${promise.head.number} or later`)
  );
}

const OTHER_VERSION =
  'keep the folder as it is, and start the version of pharos that wrote it, or name another data-dir';

/** Returns the finding of a requirement that fails; undefined when it is met. */
function refused(require: () => void, advice: string): Finding | undefined {
  try {
    require();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return wrong(error.message, advice);
  }
}

function identityText(identity: Parameters<typeof requireIdentity>[0]): string {
  return identity.state === 'complete' ? identity.chainId : '';
}

/** Often the node was started as root once, and has left files that its own user may not read. */
function unreadable(folder: string, { message }: Fault): Finding {
  const asOwner = 'run pharos doctor as the user that runs the node';
  const owner = visibleOwner(folder);
  if (owner === undefined) return wrong(message, asOwner);
  const mend = `if ${userName(owner)} has only tried the node once: ${chownCommand(dirname(resolve(folder)), [folder])}; otherwise ${asOwner}`;
  return wrong(`${message}; it belongs to ${userName(owner)}`, mend);
}

/** A file of root, from a command that was tried as root, stops the node at a time that nobody expects. */
function owners(named: string): Finding[] {
  const folder = resolve(named);
  const uid = fileOwner(folder) ?? ROOT;
  const paths = [...besides(folder), ...readdirSync(folder).map((name) => join(folder, name))];
  const strange = paths.filter((path) => (fileOwner(path) ?? uid) !== uid);
  const places = [folder, ...strange.filter((path) => dirname(path) !== folder)];
  const place = uid === ROOT ? enclosingUserFolder(folder) : undefined;
  const [first] = strange;
  if (place !== undefined) return [madeByRoot(folder, place, places)];
  if (first === undefined) return [];
  const more = strange.length > 1 ? ` and ${strange.length - 1} others belong` : ' belongs';
  return [
    wrong(`${first}${more} to another user than ${folder}, which is ${userName(uid)}'s`, chownCommand(folder, places)),
  ];
}

/** Lists files that a node keeps beside the folder under its name: the signing journal, snapshots. */
function besides(folder: string): string[] {
  const parent = dirname(folder);
  return readdirSync(parent)
    .filter((name) => name.startsWith(`${basename(folder)}.`))
    .map((name) => join(parent, name));
}

/** The folder of somebody else than root in which one of root's lies. */
function enclosingUserFolder(folder: string): string | undefined {
  const place = dirname(folder);
  if (place === folder) return undefined;
  return (fileOwner(place) ?? ROOT) === ROOT ? enclosingUserFolder(place) : place;
}

/** The user whose folder it lies in can't start a node with it. */
function madeByRoot(folder: string, place: string, places: readonly string[]): Finding {
  const owner = userName(fileOwner(place) ?? ROOT);
  const said = `${folder} belongs to root, and ${place}, in which it lies, to ${owner}`;
  return look(said, `if a node of ${owner} is to have it: ${chownCommand(place, places)}`);
}

/** The command that gives files to whom another one belongs. */
function chownCommand(like: string, paths: readonly string[]): string {
  return `chown -R --reference=${like} ${paths.join(' ')}`;
}

/** Undefined for a file that isn't there, as those of a database go. */
function fileOwner(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.uid;
}

function visibleOwner(path: string): number | undefined {
  try {
    return fileOwner(path);
  } catch {
    return undefined; // the folder in which it lies can't be read either
  }
}

/** The name of a user of this machine, or its number where the system has no list of them. */
function userName(uid: number): string {
  return findUserName(listOfUsers(), uid) ?? `user ${uid}`;
}

function findUserName(users: string, uid: number): string | undefined {
  const fields = users.split('\n').map((line) => line.split(':'));
  return fields.find(([, , number]) => number === String(uid))?.[0];
}

function listOfUsers(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
