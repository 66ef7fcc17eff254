import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Check } from '../check.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';
import { FEW_FREE_BYTES } from '../../../data_folder/folder_size.ts';
import { onDisk } from '../../../system/system_error.ts';
import { MEBIBYTE } from '../../../base/bytes.ts';
import { Fault } from '../../../base/fault.ts';

/** Time for an operator to do something about it. */
const SOON_HOURS = 24;
const GUIDE = 'see the guide "When is the disk full?"';

/** Room on the disk of the data folder, and whether this user may write there. */
export const disk: Check = async ({ dataFolder, running }) => {
  const folder = nearestFolder(resolve(dataFolder));
  const { bavail, bsize, files, ffree } = await statfs(folder);
  return [
    ...checkRoom(folder, bavail * bsize, running?.diskFullInHours),
    ...checkFileNodes(folder, files, ffree),
    ...writable(folder),
  ];
};

function checkRoom(folder: string, bytes: number, fullInHours: number | undefined): Finding[] {
  const room = `the disk of ${folder} has ${Math.trunc(bytes / MEBIBYTE)} MiB left`;
  if (bytes < FEW_FREE_BYTES)
    return [wrong(room, `make room, or move the folder: a node that can't write stops; ${GUIDE}`)];
  if (fullInHours !== undefined && fullInHours < SOON_HOURS)
    return [look(`${room}, and none in ${fullInHours} hours if it goes on as in the last hour`, GUIDE)];
  return [ok(room)];
}

/** Some file systems count none. */
function checkFileNodes(folder: string, files: number, free: number): Finding[] {
  const isFull = files > 0 && free < 1000;
  return isFull
    ? [wrong(`the disk of ${folder} has room for ${free} more files (df -i)`, 'remove files that nobody needs')]
    : [];
}

function writable(folder: string): Finding[] {
  try {
    onDisk(`${folder} can't be written`, () => accessSync(folder, constants.W_OK));
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [wrong(error.message, 'give it to the user that runs the node (chown), and run pharos doctor as that user')];
  }
}

/** The folder itself, or the one in which it would be made. */
function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
