import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inProject, root } from '../place.js';

const common = { absWorkingDir: root, bundle: true, platform: 'node', format: 'esm', metafile: true };

/** Compiled files into which the library goes that they import: one file is loaded in a tenth of the time of hundreds. */
const withLibraries = ['build/src/jsonrpc/typebox.js'];

/** What starts a process or a thread of the program. */
const entries = [
  'cli',
  'threads/writer_thread',
  'threads/verifier_thread',
  'threads/network_thread',
  'load/signing_thread',
  'load/post_thread',
];

/**
 * What stays outside: binaries, a pool that starts its threads from a file of its own, and what only a load test needs, which brings packages
 * without the text of their licence.
 */
const external = ['uWebSockets.js', '@nxtedition/rocksdb', 'piscina', 'bufferutil', 'utf-8-validate', 'hdr-histogram-js'];

// As deep below build/ as src/node: what the program finds beside itself (WASM, build_info.json) has the same way from there.
const programFolder = 'build/program/node';

/** The command of the bundled program. */
export const programFile = `${programFolder}/cli.js`;

/** Puts libraries into the files that are their only importers; whoever imports these files notices nothing. */
export function bundleLibraries() {
  for (const path of withLibraries) {
    esbuild().buildSync({ ...common, entryPoints: [path], outfile: path, allowOverwrite: true });
  }
}

/**
 * Writes what runs: the compiled program and its libraries in some dozens of files instead of a thousand, which halves
 * the time of a start. Source maps lead to the lines of src/.
 */
export function bundleProgram() {
  rmSync(inProject(programFolder), { recursive: true, force: true });
  const { metafile } = esbuild().buildSync({
    ...common,
    entryPoints: entries.map((entry) => `build/src/node/${entry}.js`),
    outdir: programFolder,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    target: 'node20',
    external,
    sourcemap: true,
    sourcesContent: false,
    // CommonJS libraries ask for Node's own modules by a function that ES modules lack.
    banner: { js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);" },
  });
  writeFileSync(inProject('build/program/LICENSES'), licensesOf(packagesIn(Object.keys(metafile.inputs))));
}

// Not imported above: this file is loaded before anything is installed.
function esbuild() {
  return createRequire(import.meta.url)('esbuild');
}

/** Names of the packages that files come from, in order. */
function packagesIn(files) {
  const names = files.flatMap((file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** The licences of packages whose code is in the program, each with its name. */
function licensesOf(packages) {
  const texts = packages.map((name) => {
    const { version, license } = JSON.parse(readFileSync(inProject('node_modules', name, 'package.json'), 'utf8'));
    const files = readdirSync(inProject('node_modules', name)).filter((file) => /^licen[cs]e/i.test(file));
    const text = files.map((file) => readFileSync(inProject('node_modules', name, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Libraries whose code is in this program, and their licences.\n\n${texts.join(`\n${'-'.repeat(78)}\n\n`)}`;
}
