import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { filesBelow, inProject, root } from '../place.js';
import { SetupFailure } from './failure.js';
import { packageProgram, wantedPackages } from './packages.js';
import { contentHash, fingerprint, isStamped, stamped } from './stamp.js';

const stampPath = 'build/.stamp_pages';
const builders = ['scripts/build_pages.js', 'scripts/pack/client_bundle.js'];

/** Bundles and packs what a node serves to browsers. It comes after compiling: pages use the client as it was compiled. */
export const pages = {
  doing: 'bundling the pages for browsers',
  isCurrent: () => isStamped(stampPath, wanted()) && existsSync(inProject('build/pages/list.json')),
  run() {
    stamped(stampPath, wanted(), () => {
      // Apart from everything else, because only pages have a document and a window.
      const types = packageProgram('typescript', 'bin/tsc');
      done(
        [...types, '-p', 'src/pages', '--pretty', String(process.stderr.isTTY === true)],
        'the types of the pages do not fit, see above',
      );
      // In a process of its own: a bundler with plugins answers later, and set-up waits for each step.
      done([process.execPath, inProject('scripts/build_pages.js')], 'the pages could not be bundled, see above');
    });
  },
};

/** Sources of other rooms count as well: what is declared there is bundled with the pages. */
function wanted() {
  return fingerprint(filesBelow('src'), wantedPackages(), contentHash('tsconfig.json'), ...builders.map(contentHash));
}

function done([command, ...args], failure) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new SetupFailure(failure);
}
