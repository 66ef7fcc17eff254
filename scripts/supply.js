// Licences, the bill of materials, and advisories of the registry that npm is set to, about packages that the lock file
// names.
import { readFileSync, writeFileSync } from 'node:fs';
import { inProject } from './place.js';
import { npm } from './setup/npm.js';
import { advisories, advisoriesSaid, billOfMaterials, bundledNames, lockProblems, noticeFile } from './supply/lock.js';

const licenceFiles = ['build/program/LICENSES', 'build/pages/LICENSES'];
const patienceMs = 60_000;

function lockedPackages() {
  const { '': _project, ...packages } = JSON.parse(fileText('package-lock.json')).packages;
  return packages;
}

function fileText(path) {
  return readFileSync(inProject(path), 'utf8');
}

/** NOTICE with the packages that the lock file names. */
export function currentNotice() {
  return noticeFile(fileText('NOTICE'), lockedPackages());
}

/** Writes the bill of materials beside the program, once it is bundled. */
export function writeBillOfMaterials() {
  // The WASM module has code of secp256k1, as NOTICE says.
  const bundled = bundledNames(licenceFiles.map(fileText).join('')).add('secp256k1');
  const bill = billOfMaterials(JSON.parse(fileText('package.json')), lockedPackages(), bundled);
  writeFileSync(inProject('build/sbom.cdx.json'), `${JSON.stringify(bill, undefined, 1)}\n`);
}

/**
 * Problems for `npm run check`. Known advisories are told and are no problem: one that appears overnight is no fault of
 * the change that is checked.
 */
export async function supplyProblems() {
  const problems = [...lockProblems(lockedPackages())];
  if (currentNotice() !== fileText('NOTICE'))
    problems.push('NOTICE lists other packages than package-lock.json: npm run operate');
  const { output } = await npm(['audit', '--package-lock-only', '--omit=dev', '--json'], {
    cwd: inProject('.'),
    timeout: patienceMs,
  });
  return { said: [advisoriesSaid(output), ...advisories(output)], problems };
}
