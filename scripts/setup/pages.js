import { existsSync } from 'node:fs';
import { listFiles, inProject } from '../place.js';
import { builtOrRestored } from './cached.js';
import { runCommand } from './command.js';
import { SetupFailure } from './failure.js';
import { wantedPackages } from './packages.js';
import { isUpToDate } from './stamp.js';
import { typescript } from './typescript.js';

const stamp = 'build/.stamp_pages';
const outputs = ['build/pages'];
const builders = [
  'scripts/build_pages.js',
  'scripts/build_docs.js',
  'scripts/colours.js',
  'scripts/monitoring/declared_metrics.js',
  'scripts/pack/client_bundle.js',
  'scripts/setup/bundled.js',
];
/** The docs show these files besides src/: guides, and the version of the program. */
const shown = ['package.json', 'tsconfig.json'];

/**
 * Bundles and packs what a node serves to browsers. It comes after compiling: pages use the client as it was compiled.
 */
export const pages = {
  name: 'pages',
  needs: [typescript],
  doing: 'bundling the pages for browsers',
  isCurrent: () => existsSync(inProject('build/pages/list.json')) && isUpToDate(stamp, inputs()),
  async run() {
    return await builtOrRestored({ name: 'pages', stamp, inputs: inputs(), outputs, build });
  },
};

async function build() {
  // In a process of its own: a bundler with plugins answers later, and packing takes a core.
  const { status, output } = await runCommand(process.execPath, [inProject('scripts/build_pages.js')]);
  if (status !== 0) throw new SetupFailure('the pages could not be bundled, see above', output);
}

/** Sources of other rooms count as well: what is declared there is bundled with the pages. */
function inputs() {
  return { files: [...listFiles('src'), ...builders, ...shown], texts: [wantedPackages()] };
}
