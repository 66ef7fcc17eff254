import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { inProject } from '../place.js';
import { bundleClient } from './client_bundle.js';
import { writeClientTypes } from './client_types.js';

/** Packages in pure JavaScript that the client imports; which version is that of package.json here. */
const libraries = ['@noble/ciphers', '@noble/curves', '@noble/hashes', 'ws'];

/** Names of the documents within the package. */
const pages = {
  'src/pages/guides/client.md': 'README.md',
  'src/pages/guides/client_nodes.md': 'NODES.md',
  'src/pages/guides/client_follow.md': 'FOLLOW.md',
  'src/pages/guides/production.md': 'PRODUCTION.md',
  'src/pages/guides/migration.md': 'MIGRATION.md',
  LICENSE: 'LICENSE',
  NOTICE: 'NOTICE',
};

/** Writes the folder of the package pharos-client, from what is compiled. @param {string} folder below the project */
export async function writeClientPackage(folder) {
  mkdirSync(inProject(folder), { recursive: true });
  await bundleClient(`${folder}/dist`);
  await writeClientTypes(`${folder}/types`);
  for (const [from, to] of Object.entries(pages)) writeFileSync(inProject(folder, to), pageText(from));
  writeFileSync(inProject(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/**
 * The text of a page. Guides link to each other by the names that they have in the package, and the package has no
 * other guides.
 */
function pageText(from) {
  const text = readFileSync(inProject(from), 'utf8');
  return text.replaceAll(/\[([^\]]+)\]\(([a-z_]+\.md)(#[a-z-]+)?\)/g, (_, words, guide, anchor = '') => {
    const name = pages[`src/pages/guides/${guide}`];
    return name === undefined ? words : `[${words}](${name}${anchor})`;
  });
}

function manifest() {
  const own = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const versions = { ...own.devDependencies, ...own.dependencies };
  const entry = (name) => ({ types: `./types/client/${name}.d.ts`, default: `./dist/${name}.js` });
  return {
    name: 'pharos-client',
    version: own.version,
    description:
      'Speaks to the nodes of a Pharos chain, from Node, Deno, Bun and browsers: typed calls, transactions, keys, memos',
    license: own.license,
    type: 'module',
    sideEffects: false,
    engines: own.engines,
    files: ['dist', 'types', '*.md', 'NOTICE'],
    exports: { '.': entry('index'), './keys': entry('keys'), './verified': entry('verified') },
    dependencies: Object.fromEntries(libraries.map((name) => [name, versions[name]])),
  };
}
