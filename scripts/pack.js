// npm run pack: builds the packages that users install into build/packages, each as a tarball: pharos itself, and
// pharos-client, which is src/client for programs that need no node. `--only client` leaves the former out.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { npm } from './setup/npm.js';
import { writeBuildInfo } from './setup/typescript.js';
import { setUp } from './setup.js';
import { writeBillOfMaterials } from './supply.js';
import { inProject } from './place.js';
import { writeClientPackage } from './pack/client_package.js';
import { writeNodeTypes } from './pack/client_types.js';

const packages = 'build/packages';

await reportingFailure(async () => {
  setUp();
  writeBuildInfo({ isPackage: true });
  writeBillOfMaterials();
  await writeNodeTypes();
  // Two commands may pack at once: nobody finds half a package.
  const unfinished = `${packages}/unfinished_${process.pid}`;
  mkdirSync(inProject(unfinished), { recursive: true });
  try {
    const folder = `${unfinished}/pharos-client`;
    await writeClientPackage(folder);
    await packTarball(folder, unfinished);
    if (!process.argv.includes('--only')) await packTarball('.', unfinished);
  } finally {
    rmSync(inProject(unfinished), { recursive: true, force: true });
  }
});

async function packTarball(folder, destination) {
  const flags = ['--ignore-scripts', '--loglevel=error', '--pack-destination', inProject(destination)];
  const { status, output } = await npm(['pack', ...flags], { cwd: inProject(folder) });
  if (status !== 0) throw new SetupFailure(`npm pack failed in ${folder}`, output);
  const name = output.trim();
  renameSync(inProject(destination, name), inProject(packages, name));
  process.stdout.write(output);
}
