import { listFiles } from '../place.js';
import { runCommand } from './command.js';
import { SetupFailure } from './failure.js';
import { packages, packageProgram, wantedPackages } from './packages.js';
import { buildIfChanged, isUpToDate } from './stamp.js';

const stamp = 'build/.stamp_page_types';

/** Checks the types of the pages, apart from everything else, because only pages have a document and a window. */
export const pageTypes = {
  name: 'page-types',
  needs: [packages],
  doing: 'checking the types of the pages',
  isCurrent: () => isUpToDate(stamp, inputs()),
  async run() {
    const [command, ...args] = packageProgram('typescript', 'bin/tsc');
    await buildIfChanged(stamp, inputs(), async () => {
      const { status, output } = await runCommand(command, [
        ...args,
        '-p',
        'src/pages',
        '--pretty',
        String(process.stderr.isTTY === true),
      ]);
      if (status !== 0) throw new SetupFailure('the types of the pages do not fit, see above', output);
    });
  },
};

function inputs() {
  return {
    files: [...listFiles('src').filter((path) => /\.tsx?$|tsconfig\.json$/.test(path)), 'tsconfig.json'],
    texts: [wantedPackages()],
  };
}
