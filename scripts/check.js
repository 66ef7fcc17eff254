// npm run check: everything short of the tests. All steps run, so that one look shows all that is wrong.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { inProject, root } from './place.js';
import { keepFailures, lastLines } from './failures.js';
import { formatCommand, lintCommand } from './style.js';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { packages } from './setup/packages.js';
import { pageTypes } from './setup/page_types.js';
import { stepsToRun } from './setup/steps.js';
import { typescript } from './setup/typescript.js';
import { setUp } from './setup.js';
import { supplyProblems } from './supply.js';

/** Lines that tell why a step has failed. */
const reasonLines = 4;
/** Enough for these lines. */
const keptCharacters = 20_000;

/** Each returns why it has failed: no line when it has passed. */
const steps = {
  format: () => commandFailures(formatCommand('--check')),
  types: () => {
    setUp([...stepsToRun, pageTypes]);
    return [];
  },
  lint,
  rules: reportRules,
  language: reportLanguage,
  supply: reportSupply,
  benches: smallBenches,
  speed,
};

await reportingFailure(async () => {
  setUp([packages]);
  const failed = [];
  const reasons = [];
  for (const name of Object.keys(steps)) {
    const found = await stepFailures(name);
    if (found.length === 0) continue;
    failed.push(name);
    reasons.push(...found.map((reason) => `${name}: ${reason}`));
  }
  keepFailures('check', reasons);
  console.log(
    failed.length === 0
      ? '\ncheck: all passed'
      : `\ncheck: failed: ${failed.join(', ')}${failed.includes('format') ? ' (npm run tidy formats)' : ''}`,
  );
  for (const reason of reasons) console.log(reason);
  if (failed.length > 0) process.exitCode = 1;
});

async function stepFailures(name) {
  console.log(`\n── ${name}`);
  const startedAt = Date.now();
  let reasons = [];
  try {
    reasons = await steps[name]();
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    console.log(error.output);
    console.log(error.message);
    reasons = [...lastLines(error.output, reasonLines - 1), error.message];
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${reasons.length === 0 ? 'passed' : 'FAILED'} ${name} (${seconds} s)`);
  return reasons;
}

/** Type-aware, so it says nothing useful about types that don't fit. */
function lint() {
  return typescript.isCurrent() ? commandFailures(lintCommand()) : skipped();
}

/**
 * Floors, importers, sizes, determinism, registers, what nobody uses, words: see scripts/layers.js and scripts/rules/.
 */
async function reportRules() {
  // It needs the compiler, which may have been installed a moment ago.
  const { allRuleProblems } = await import('./rules.js');
  return told(allRuleProblems());
}

/** Sentences, comments and names: a file may not get worse while the target is not met. See scripts/language.js. */
async function reportLanguage() {
  const { keptCounts, languageFigures } = await import('./language.js');
  const [{ writtenTexts }, { languageProblems }] = await Promise.all([
    import('./rules.js'),
    import('./rules/language.js'),
  ]);
  const files = writtenTexts();
  for (const figure of languageFigures(files)) console.log(figure);
  return told(languageProblems(files, keptCounts()));
}

/** Licences, sums and known advisories of packages that the lock file names. See scripts/supply.js. */
async function reportSupply() {
  const { said, problems } = await supplyProblems();
  for (const line of said) console.log(line);
  return told(problems);
}

/** Every bench in its smallest form: it proves that the bench still runs, its figures mean nothing. */
function smallBenches() {
  const file = inProject('build/bench/run.js');
  if (existsSync(file)) return commandFailures([process.execPath, file, '--quick']);
  console.log('no benches yet');
  return [];
}

/**
 * Fails when the hot path has become about twice as slow, measured in CPU time against a yardstick, so a busy machine
 * is no reason.
 */
function speed() {
  const file = inProject('build/bench/gate.js');
  return typescript.isCurrent() && existsSync(file) ? commandFailures([process.execPath, file]) : skipped();
}

function skipped() {
  console.log('skipped until the types fit');
  return ['skipped until the types fit'];
}

function told(problems) {
  for (const problem of problems) console.log(problem);
  return problems.slice(0, reasonLines);
}

/** Shows the output of a command as it comes. The last lines of one that fails are the reason. */
async function commandFailures([command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['inherit', 'pipe', 'pipe'] });
  let output = '';
  const show = (text) => {
    process.stdout.write(text);
    output = (output + text).slice(-keptCharacters);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', show);
  const [code, signal] = await once(child, 'close');
  if (code === 0) return [];
  return [...lastLines(output, reasonLines), `ended ${signal === null ? `with code ${code}` : `by ${signal}`}`];
}
