// npm run pack: builds the packages that users install into build/packages, each as a tarball: pharos itself, and
// pharos-client, which is src/client for programs that need no node. `--only client` leaves the former out.
import { mkdirSync, rmSync } from 'node:fs';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { npm } from './setup/npm.js';
import { writeBuildInfo } from './setup/typescript.js';
import { setUp } from './setup.js';
import { inProject } from './place.js';
import { writeClientPackage } from './pack/client_package.js';

const packages = 'build/packages';

await reportingFailure(async () => {
  setUp();
  writeBuildInfo();
  mkdirSync(inProject(packages), { recursive: true });
  const folder = `${packages}/pharos-client`;
  rmSync(inProject(folder), { recursive: true, force: true });
  await writeClientPackage(folder);
  await tarballOf(inProject(folder));
  if (!process.argv.includes('--only')) await tarballOf(inProject('.'));
});

async function tarballOf(folder) {
  const flags = ['--ignore-scripts', '--loglevel=error', '--pack-destination', inProject(packages)];
  const { status, output } = await npm(['pack', ...flags], { cwd: folder });
  if (status !== 0) throw new SetupFailure(`npm pack failed in ${folder}`, output);
  process.stdout.write(output);
}
