import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { PROGRAM_VERSION } from '../../system/program_version.ts';
import { onDisk } from '../../system/system_error.ts';
import { appFiles } from './app_files.ts';

const PACKAGES = ['pharos-client', 'pharos'];

/**
 * Writes a project with the packages of this version into a new or empty folder, whole or not at all. Fault
 * `configuration` where the folder has something in it or a package is not there.
 */
export function writeApp(target: string, packages: string): void {
  const folder = resolve(target);
  requireEmpty(target, folder);
  const tarballs = PACKAGES.map((name) => `${name}-${PROGRAM_VERSION}.tgz`);
  for (const tarball of tarballs) requirePackage(packages, tarball);
  onDisk(`cannot write ${target}`, () => {
    const unfinished = join(dirname(folder), `.${basename(folder)}_${process.pid}`);
    mkdirSync(join(unfinished, 'packages'), { recursive: true });
    try {
      for (const tarball of tarballs) copyFileSync(join(packages, tarball), join(unfinished, 'packages', tarball));
      for (const [path, text] of Object.entries(appFiles(basename(folder), PROGRAM_VERSION))) {
        mkdirSync(dirname(join(unfinished, path)), { recursive: true });
        writeFileSync(join(unfinished, path), text);
      }
      if (existsSync(folder)) rmdirSync(folder);
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  });
}

function requireEmpty(target: string, folder: string): void {
  if (existsSync(folder) && onDisk(`cannot read ${target}`, () => readdirSync(folder)).length > 0)
    throw new Fault('configuration', `${target} has something in it: name a new folder`);
}

function requirePackage(packages: string, tarball: string): void {
  if (!existsSync(join(packages, tarball)))
    throw new Fault(
      'configuration',
      `there is no ${tarball} in ${packages}: run npm run pack in a clone of Pharos, and name its build/packages by --packages`,
    );
}
