import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { filesBelow, inProject, root } from './place.js';
import { SetupFailure } from './setup/failure.js';
import { processTimeoutMs, TestProcesses } from './test_processes.js';

/** Compiled tests that need more than this machine. */
export const servicesFolder = 'build/test/services/';

/** Runs the compiled tests that `takes` takes and a word of `args` names, with the flags of `args`; the exit code. */
export function runTests(args, takes, environment = {}) {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  return runFiles(testFiles(words, takes), flags, environment);
}

/** Runs test files; where a process breaks down, those that it did not come to the end of once more, each by itself. The exit code. */
export function runFiles(files, flags, environment = {}) {
  const processes = new TestProcesses(files);
  try {
    const status = start(processes.files, flags, environment);
    const left = processes.left();
    if (left.length === 0) return status;
    console.log(`\na process has ended in one of these files; each runs again, by itself:\n${left.join('\n')}\n`);
    start(new Map(left.map((file) => [file, [file]])), flags, environment);
    return status || 1;
  } finally {
    processes.remove();
  }
}

/** Starts processes of tests; the exit code. */
function start(processes, flags, environment) {
  const reporter = flags.some((flag) => flag.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec'];
  const timeoutMs = processTimeoutMs(Math.max(...[...processes.values()].map((files) => files.length)));
  const limit = isLong(environment) ? [] : [`--test-timeout=${timeoutMs}`];
  const ours = ['--enable-source-maps', `--test-concurrency=${availableParallelism()}`, ...limit];
  const noting = environment.TEST_PROVOKED === undefined ? [] : ['--import', inProject('build/test/builders/provoked.js')];
  const { status, signal } = spawnSync(process.execPath, [...noting, '--test', ...reporter, ...ours, ...flags, ...processes.keys()], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return signal === null ? status : 1;
}

/** Whoever asks for many seeds or minutes, or for all of each (CONTRIBUTING.md), waits for them. */
function isLong(environment) {
  if (environment.PHAROS_SERVICES_FORM === 'long') return true;
  return Object.keys({ ...process.env, ...environment }).some((name) => /^PHAROS_(TEST|SIM|SOAK|FAIL|HEALTHY)/.test(name));
}

function testFiles(words, takes) {
  const wanted = words.map((word) => word.replace(/^(build|\.)\//, '').replace(/\.(ts|js)$/, ''));
  const all = filesBelow('build/test').filter((path) => path.endsWith('.test.js') && takes(path));
  const files = wanted.length === 0 ? all : all.filter((path) => wanted.some((word) => path.includes(word)));
  if (files.length === 0)
    throw new SetupFailure(`no test file has ${words.length > 0 ? `${words.join(' or ')} in its path` : 'been written yet'}`);
  return files;
}
