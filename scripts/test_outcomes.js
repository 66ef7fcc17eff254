// The end of a run's output: failures with the command that repeats each alone, and the slowest tests.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './place.js';

const slowestShown = 10;
const failuresShown = 100;

/** Names the suite of a file, see scripts/shared_process.js. */
const fileSuite = /^(?:.*\/)?test\/.*\.test\.m?[jt]s$/;

/** Variables that change what a longer run does. */
const sizes = /^PHAROS_(?:TEST|SIM|SOAK|FAIL|HEALTHY)/;

/** @typedef {{ name: string, nesting: number, file?: string, durationMs: number, isSuite: boolean, failure?: string, reason?: string }} Outcome */
/** `test` is the outermost test, if that is more than suites. */
/** @typedef {{ file: string, path: readonly string[], test: string | undefined, durationMs: number, isSuite: boolean, failure?: string, reason?: string }} PlacedOutcome */

/** The outcomes of all starts of a run. */
export class TestOutcomes {
  /** @readonly */
  #folder;
  /** @readonly @type {string[]} */
  #files = [];

  /** @param {string} folder for the files of the reporter */
  constructor(folder) {
    this.#folder = folder;
  }

  /** A file for the reporter of one more start. */
  nextFile() {
    const file = join(this.#folder, `outcomes_${this.#files.length}`);
    this.#files.push(file);
    return file;
  }

  /**
   * @param {string} command that ran the tests
   * @param {readonly string[]} unfinished files whose process ended
   */
  summary(command, unfinished) {
    const outcomes = this.#outcomes();
    const failed = outcomes.filter(hasFailed);
    const isNamed = (/** @type {string} */ file) => failed.some((outcome) => outcome.file === file);
    const lines = [
      ...failed.map((outcome) => failureLines(outcome, command)),
      ...unfinished
        .map(shownFile)
        .flatMap((file) => (isNamed(file) ? [] : [`${file}: its process ended\n  ${alone(command, file)}`])),
    ];
    const more = lines.length > failuresShown ? [`and ${lines.length - failuresShown} more`] : [];
    const told =
      lines.length === 0
        ? 'failed: none'
        : ['failed, each with the command that runs it alone:', ...lines.slice(0, failuresShown), ...more].join('\n');
    return `\n${slowest(outcomes)}\n\n${told}`;
  }

  /**
   * A line for each failure: its title and the first line of its error.
   * @param {readonly string[]} unfinished files whose process ended
   */
  failures(unfinished) {
    const titles = this.#outcomes()
      .filter(hasFailed)
      .map(({ file, path, reason = 'failed' }) => `${[file, ...path].join(' › ')}: ${reason}`);
    return [...titles, ...unfinished.map((file) => `${shownFile(file)}: its process ended`)];
  }

  #outcomes() {
    return this.#files.flatMap((file) => placed(readOutcomes(file)));
  }
}

/** @param {PlacedOutcome} outcome */
function hasFailed({ failure }) {
  return failure !== undefined && failure !== 'subtestsFailed';
}

/** @param {string} file @returns {Outcome[]} */
function readOutcomes(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Gives each outcome its file and the names of the suites and tests around it. A parent ends after its children. @param {Outcome[]} outcomes */
function placed(outcomes) {
  /** @type {PlacedOutcome[]} */
  const result = [];
  /** @type {Outcome[]} */
  let around = [];
  let file = '';
  for (const outcome of outcomes.toReversed()) {
    const { name, nesting, durationMs, isSuite, failure, reason } = outcome;
    if (nesting === 0) file = shownFile(fileSuite.test(name) ? name : (outcome.file ?? ''));
    around = [...around.slice(0, nesting), outcome];
    const inFile = around.filter((each) => !fileSuite.test(each.name));
    const test = inFile.find((each) => !each.isSuite)?.name;
    result.push({
      file,
      path: inFile.map((each) => each.name),
      test,
      durationMs,
      isSuite,
      ...(failure === undefined ? {} : { failure }),
      ...(reason === undefined ? {} : { reason }),
    });
  }
  return result.toReversed();
}

/** The path of a source. @param {string} file */
function shownFile(file) {
  const path = file.startsWith(root) ? relative(root, file) : file;
  return path.replace(/^build\//, '').replace(/\.js$/, '.ts');
}

/** @param {PlacedOutcome} outcome @param {string} command */
function failureLines({ file, path, test }, command) {
  return `${[file, ...path].join(' › ')}\n  ${alone(command, file, test)}`;
}

/** @param {string} command @param {string} file @param {string} [test] its name */
function alone(command, file, test) {
  const variables = Object.entries(process.env).filter(([each]) => sizes.test(each));
  const settings = variables.map(([each, value = '']) => `${each}=${quoted(value)} `).join('');
  const pattern = test === undefined ? '' : ` ${quoted(`--test-name-pattern=^${escaped(test)}$`)}`;
  return `${settings}${command} -- ${file}${process.env['PHAROS_SERVICES_FORM'] === 'long' ? ' --long' : ''}${pattern}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** One word of a shell. @param {string} text */
function quoted(text) {
  return /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {readonly PlacedOutcome[]} outcomes */
function slowest(outcomes) {
  const tests = outcomes.filter(({ isSuite, path }) => !isSuite && path.length > 0);
  const first = tests.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, slowestShown);
  const lines = first.map(
    ({ file, path, durationMs }) => `${(durationMs / 1000).toFixed(1).padStart(7)} s  ${[file, ...path].join(' › ')}`,
  );
  return ['the slowest tests:', ...lines].join('\n');
}
