// npm test: sets up, then runs the compiled tests. `npm test -- chain rpc/http` takes only files whose path contains
// one of the words; flags go to node, as in `npm test -- --test-name-pattern="transfer"`.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { filesBelow, root } from './place.js';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { setUp } from './setup.js';

// One test file may take this long: the longest imports a recorded chain, and a hanging one must not hold up everything.
const fileTimeoutMs = 10 * 60 * 1000;

await reportingFailure(() => {
  const args = process.argv.slice(2);
  setUp();
  const files = testFiles(args.filter((arg) => !arg.startsWith('-')));
  const flags = args.filter((arg) => arg.startsWith('-'));
  process.exitCode = run(flags, files);
});

function testFiles(words) {
  const wanted = words.map((word) => word.replace(/^(build|\.)\//, '').replace(/\.(ts|js)$/, ''));
  const all = filesBelow('build/test').filter((path) => path.endsWith('.test.js'));
  const files = wanted.length === 0 ? all : all.filter((path) => wanted.some((word) => path.includes(word)));
  if (files.length === 0)
    throw new SetupFailure(`no test file has ${words.length > 0 ? `${words.join(' or ')} in its path` : 'been written yet'}`);
  return files;
}

function run(flags, files) {
  const reporter = flags.some((flag) => flag.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec'];
  const ours = ['--enable-source-maps', `--test-concurrency=${availableParallelism()}`, `--test-timeout=${fileTimeoutMs}`];
  const { status, signal } = spawnSync(process.execPath, ['--test', ...reporter, ...ours, ...flags, ...files], {
    cwd: root,
    stdio: 'inherit',
  });
  return signal === null ? status : 1;
}
