import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { filesBelow, inProject, root } from './place.js';
import { SetupFailure } from './setup/failure.js';

/** Compiled tests that need more than this machine. */
export const servicesFolder = 'build/test/services/';

// One test file may take this long: the longest imports a recorded chain, and a hanging one must not hold up everything.
const fileTimeoutMs = 10 * 60 * 1000;

/** Runs the compiled tests that `takes` takes and a word of `args` names, with the flags of `args`; the exit code. */
export function runTests(args, takes, environment = {}) {
  const files = testFiles(
    args.filter((arg) => !arg.startsWith('-')),
    takes,
  );
  const flags = args.filter((arg) => arg.startsWith('-'));
  const reporter = flags.some((flag) => flag.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec'];
  const ours = ['--enable-source-maps', `--test-concurrency=${availableParallelism()}`, `--test-timeout=${fileTimeoutMs}`];
  const noting = environment.TEST_PROVOKED === undefined ? [] : ['--import', inProject('build/test/builders/provoked.js')];
  const { status, signal } = spawnSync(process.execPath, [...noting, '--test', ...reporter, ...ours, ...flags, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return signal === null ? status : 1;
}

function testFiles(words, takes) {
  const wanted = words.map((word) => word.replace(/^(build|\.)\//, '').replace(/\.(ts|js)$/, ''));
  const all = filesBelow('build/test').filter((path) => path.endsWith('.test.js') && takes(path));
  const files = wanted.length === 0 ? all : all.filter((path) => wanted.some((word) => path.includes(word)));
  if (files.length === 0)
    throw new SetupFailure(`no test file has ${words.length > 0 ? `${words.join(' or ')} in its path` : 'been written yet'}`);
  return files;
}
