import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { inProject, root } from '../place.js';

const common = { absWorkingDir: root, bundle: true, platform: 'node', metafile: true };

/**
 * Compiled files into which the library goes that they import: one file is loaded in a tenth of the time of hundreds.
 */
const withLibraries = ['build/src/jsonrpc/envelope/typebox.js'];

/**
 * A compiled file that imports by a path that it puts together, and how the compiler has wrapped that path: the bundler
 * can't read it so.
 */
const putTogether = 'build/src/client/method_shapes.js';
const wrapped = /__rewriteRelativeImportExtension\((`[^`]+\.js`)\)/g;

/**
 * The parts of the program that start a process or a thread, by their script. Threads that every node starts have
 * scripts of their own: V8 reads the compiled functions of a whole script, and a thread needs a fifth of the program.
 */
const scripts = {
  program: [
    'cli/cli',
    'node/sinks/sink_thread',
    'node/threads/snapshot_thread',
    'load_test/signing_thread',
    'load_test/post_thread',
  ],
  writer_thread: ['node/threads/writer/writer_thread'],
  verifier_thread: ['verifiers/verifier_thread'],
  network_thread: ['node/network/network_thread'],
};

/**
 * Modules that stay outside: binaries, a pool that starts its threads from a file of its own, and the packages of load
 * tests alone, some of which lack the text of their licence.
 */
const external = [
  'uWebSockets.js',
  '@nxtedition/rocksdb',
  'piscina',
  'bufferutil',
  'utf-8-validate',
  'hdr-histogram-js',
  'pg',
  'pg-copy-streams',
];

// As deep below build/ as a room of src/: what the program finds beside itself (WASM, build_info.json) has the same way
// from there.
export const programFolder = 'build/program/node';

/** The command of the bundled program. */
export const programFile = `${programFolder}/cli.js`;

/** Puts libraries into the files that are their only importers; whoever imports these files notices nothing. */
export function bundleLibraries() {
  for (const path of withLibraries) {
    esbuild().buildSync({ ...common, format: 'esm', entryPoints: [path], outfile: path, allowOverwrite: true });
  }
}

/**
 * Writes what runs: the compiled program and its libraries in a few scripts instead of a thousand files, because V8
 * takes compiled functions of scripts only, and an entry for each process and thread. Source maps lead to the lines of
 * src/.
 */
export function bundleProgram() {
  rmSync(inProject(programFolder), { recursive: true, force: true });
  for (const path of withLibraries) takeLibrariesOut(path);
  writeFileSync(inProject(putTogether), readFileSync(inProject(putTogether), 'utf8').replace(wrapped, '$1'));
  const files = Object.entries(scripts).flatMap(([script, entries]) => bundleScript(script, entries));
  copyFileSync(inProject('scripts/program/load.js'), inProject(programFolder, 'load.js'));
  for (const [script, entries] of Object.entries(scripts)) for (const entry of entries) writeEntry(entry, script);
  writeFileSync(inProject('build/program/LICENSES'), licenseTexts(listPackages(files)));
}

/** The files that have gone into the script. */
function bundleScript(script, entries) {
  const { metafile } = esbuild().buildSync({
    ...common,
    format: 'cjs',
    stdin: { contents: `export const parts = {\n${entries.map(partLine).join('\n')}\n};`, resolveDir: root },
    outfile: `${programFolder}/${script}.cjs`,
    target: 'node20',
    // A script that V8 takes from its compiled functions can't import: what stays outside is required.
    supported: { 'dynamic-import': false },
    external,
    sourcemap: true,
    sourcesContent: false,
    define: { 'import.meta.url': 'programUrl' },
    // load.js calls the function.
    banner: { js: '(function (module, exports, require, programUrl) {' },
    footer: { js: '})' },
  });
  return Object.keys(metafile.inputs);
}

/**
 * The compiler writes a file again only when its source has changed: otherwise the libraries of the last build are
 * still in it.
 */
function takeLibrariesOut(path) {
  const source = readFileSync(inProject(path.replace(/^build\//, '').replace(/\.js$/, '.ts')), 'utf8');
  const { code } = esbuild().transformSync(source, { loader: 'ts', format: 'esm', target: 'es2023' });
  writeFileSync(inProject(path), code);
}

/** Loaded when it is asked for. */
function partLine(entry) {
  return `  ${entryName(entry)}: () => require('./build/src/${entry}.js'),`;
}

/** Writes the file that starts a part. Pools of threads import what they call. */
function writeEntry(entry, script) {
  const exported = readFileSync(inProject(`build/src/${entry}.js`), 'utf8').matchAll(
    /^export (?:(?:async )?function (\w+)|const \{([^}]+)\})/gm,
  );
  const names = [...exported].map(([, name, some = name]) => some.trim()).join(', ');
  const run = `load('${entryName(entry)}', '${script}');`;
  const text = `import { load } from './load.js';\n${names === '' ? run : `export const { ${names} } = ${run}`}\n`;
  writeFileSync(inProject(programFolder, `${entryName(entry)}.js`), text);
}

function entryName(entry) {
  return basename(entry);
}

// Not imported above: this file is loaded before anything is installed.
function esbuild() {
  return createRequire(import.meta.url)('esbuild');
}

/** Names of the packages that files come from, in order. */
export function listPackages(files) {
  const names = files.flatMap((file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** The licences of packages whose code is in what was bundled, each with its name. */
export function licenseTexts(packages) {
  const texts = packages.map((name) => {
    const { version, license } = JSON.parse(readFileSync(inProject('node_modules', name, 'package.json'), 'utf8'));
    const files = readdirSync(inProject('node_modules', name)).filter((file) => /^licen[cs]e/i.test(file));
    const text = files.map((file) => readFileSync(inProject('node_modules', name, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Libraries whose code is in what lies here, and their licences.\n\n${texts.join(`\n${'-'.repeat(78)}\n\n`)}`;
}
