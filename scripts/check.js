// npm run check: everything short of the tests. All steps run, so that one look shows all that is wrong.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inProject, root } from './place.js';
import { formatCommand, lintCommand } from './style.js';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { packages } from './setup/packages.js';
import { pageTypes } from './setup/page_types.js';
import { stepsToRun } from './setup/steps.js';
import { typescript } from './setup/typescript.js';
import { setUp } from './setup.js';
import { supplyProblems } from './supply.js';

const steps = {
  format: () => succeeds(formatCommand('--check')),
  types: () => setUp([...stepsToRun, pageTypes]),
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
  for (const name of Object.keys(steps)) if (!(await passes(name))) failed.push(name);
  console.log(
    failed.length === 0
      ? '\ncheck: all passed'
      : `\ncheck: failed: ${failed.join(', ')}${failed.includes('format') ? ' (npm run tidy formats)' : ''}`,
  );
  if (failed.length > 0) process.exitCode = 1;
});

async function passes(name) {
  console.log(`\n── ${name}`);
  const startedAt = Date.now();
  let passed = true;
  try {
    passed = (await steps[name]()) !== false;
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    console.log(error.message);
    passed = false;
  }
  console.log(`${passed ? 'passed' : 'FAILED'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return passed;
}

/** Type-aware, so it says nothing useful about types that don't fit. */
function lint() {
  if (typescript.isCurrent()) return succeeds(lintCommand());
  console.log('skipped until the types fit');
  return false;
}

/**
 * Floors, importers, sizes, determinism, registers, what nobody uses, words: see scripts/layers.js and scripts/rules/.
 */
async function reportRules() {
  // It needs the compiler, which may have been installed a moment ago.
  const { allRuleProblems } = await import('./rules.js');
  const problems = allRuleProblems();
  for (const problem of problems) console.log(problem);
  return problems.length === 0;
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
  const problems = languageProblems(files, keptCounts());
  for (const problem of problems) console.log(problem);
  return problems.length === 0;
}

/** Licences, sums and known advisories of packages that the lock file names. See scripts/supply.js. */
async function reportSupply() {
  const { said, problems } = await supplyProblems();
  for (const line of [...said, ...problems]) console.log(line);
  return problems.length === 0;
}

/** Every bench in its smallest form: it proves that the bench still runs, its figures mean nothing. */
function smallBenches() {
  const file = inProject('build/bench/run.js');
  if (existsSync(file)) return succeeds([process.execPath, file, '--quick']);
  console.log('no benches yet');
  return true;
}

/**
 * Fails when the hot path has become about twice as slow, measured in CPU time against a yardstick, so a busy machine
 * is no reason.
 */
function speed() {
  const file = inProject('build/bench/gate.js');
  if (typescript.isCurrent() && existsSync(file)) return succeeds([process.execPath, file]);
  console.log('skipped until the types fit');
  return false;
}

function succeeds([command, ...args]) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
}
