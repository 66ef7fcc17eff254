import { spawnSync } from 'node:child_process';
import { keepFailures } from './failures.js';
import { listFiles, inProject, root } from './place.js';
import { SetupFailure } from './setup/failure.js';
import { forms } from './test_forms.js';
import { isLonger, processesAtOnce, processTimeoutMs, TestProcesses } from './test_processes.js';
import { TestOutcomes } from './test_outcomes.js';

const reporter = inProject('scripts/test_reporter.js');

/**
 * In MiB. Tests make many objects that die soon: with V8's 16 MiB more of them are copied before, which took an eighth
 * of the CPU time of chain/, model/ and rpc/methods.
 */
const newSpace = '--max-semi-space-size=64';

/** By the name of a form, the command that runs it. */
const commands = { short: 'npm test', long: 'npm run test:long', services: 'npm run test:services' };

/**
 * Runs the compiled tests of a form whose path contains a word of `args`, with the flags of `args`. Returns the exit
 * code.
 */
export function runTests(args, form, environment = {}) {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const command = commands[form];
  return runFiles(testFiles(words, form), flags, environment, command, (failures) => keepFailures(command, failures));
}

/**
 * Runs test files and tells at the end what failed and what took long. Returns the exit code.
 * When a process breaks down, each of its unfinished files runs again in a process of its own. `keep` gets a line for
 * each failure.
 */
export function runFiles(files, flags, environment = {}, command = commands.short, keep = () => {}) {
  const processes = new TestProcesses(files);
  const outcomes = new TestOutcomes(processes.folder);
  try {
    let status = 0;
    for (let next = processes.next(); next.size > 0; next = processes.next())
      status = start(next, outcomes, flags, environment) || status;
    const left = processes.left();
    if (left.length > 0) {
      console.log(`\na process has ended in one of these files; each runs again, by itself:\n${left.join('\n')}\n`);
      start(new Map(left.map((file) => [file, [file]])), outcomes, flags, environment);
      status ||= 1;
    }
    processes.rememberSeconds();
    console.log(outcomes.summary(command, left));
    keep(outcomes.failures(left));
    return status;
  } finally {
    processes.remove();
  }
}

/** Starts processes of tests. Returns the exit code. */
function start(processes, outcomes, flags, environment) {
  const timeoutMs = Math.max(...[...processes.values()].map(processTimeoutMs));
  const limit = isLonger({ ...process.env, ...environment }) ? [] : [`--test-timeout=${timeoutMs}`];
  const ours = ['--enable-source-maps', newSpace, `--test-concurrency=${processesAtOnce}`, ...limit];
  const noting =
    environment.TEST_PROVOKED === undefined ? [] : ['--import', inProject('build/test/builders/provoked.js')];
  const reporting = [
    ...shownReporter(flags),
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${outcomes.nextFile()}`,
  ];
  const { status, signal } = spawnSync(
    process.execPath,
    [...noting, '--test', ...flags, ...reporting, ...ours, ...processes.keys()],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    },
  );
  return signal === null ? status : 1;
}

/**
 * Node wants a destination for each of several reporters, and pairs them by their order: those of `flags` come first.
 */
function shownReporter(flags) {
  const isNamed = (flag) => flags.some((each) => each.startsWith(`${flag}=`));
  return [
    ...(isNamed('--test-reporter') ? [] : ['--test-reporter=spec']),
    ...(isNamed('--test-reporter-destination') ? [] : ['--test-reporter-destination=stdout']),
  ];
}

function testFiles(words, form) {
  const wanted = words.map((word) => word.replace(/^(build|\.)\//, '').replace(/\.(ts|js)$/, ''));
  const isWanted = (path) => wanted.length === 0 || wanted.some((word) => path.includes(word));
  const named = listFiles('build/test').filter((path) => path.endsWith('.test.js') && isWanted(path));
  const files = named.filter(forms[form]);
  if (files.length > 0) return files;
  if (words.length === 0) throw new SetupFailure('no test file has been written yet');
  const others = Object.keys(forms).filter((other) => named.some(forms[other]));
  const hint = others.map((other) => `; ${commands[other]} -- ${words.join(' ')} runs some`).join('');
  throw new SetupFailure(`no test file of ${commands[form]} has ${words.join(' or ')} in its path${hint}`);
}
