// Which test files a form of the tests runs: `npm test` the short form, `npm run test:long` the rest.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './place.js';

/** Compiled tests that need more than this machine. */
export const servicesFolder = 'build/test/services/';

const longEnding = '.long.test.js';
const sizes = 'build/test/builders/forms.js';

/** By the name of a form, whether it runs a compiled test file. @type {Readonly<Record<string, (path: string) => boolean>>} */
export const forms = {
  services: (path) => path.startsWith(servicesFolder),
  short: (path) => !path.startsWith(servicesFolder) && !path.endsWith(longEnding),
  long: (path) => !path.startsWith(servicesFolder) && (path.endsWith(longEnding) || reaches(path, sizes)),
};

/**
 * True when a compiled test file imports the wanted one, directly or through other test files.
 * @param {string} path
 * @param {string} wanted
 * @param {Set<string>} [seen]
 * @returns {boolean}
 */
function reaches(path, wanted, seen = new Set()) {
  if (path === wanted) return true;
  if (seen.has(path) || !path.startsWith('build/test/') || !existsSync(inProject(path))) return false;
  seen.add(path);
  const imported = [...readFileSync(inProject(path), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) =>
    join(path, '..', to),
  );
  return imported.some((to) => reaches(to, wanted, seen));
}
