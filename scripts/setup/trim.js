import { existsSync, readdirSync, rmSync } from 'node:fs';
import { listFiles, inProject } from '../place.js';
import { readText, stamped } from './stamp.js';

// Inside node_modules, so that deleting the folder also deletes what says that it is trimmed.
const stampPath = 'node_modules/.pharos_trimmed';
const thisMachine = `${process.platform}-${process.arch}`;

// Test data, measurements and examples of libraries; and what the hashes were built from, or are as CommonJS.
// Not the package @types/benchmark, which has such a name itself.
const unusedFolder =
  /^node_modules\/(?:@[^/]+\/)?[^@/][^/]*\/(?:test|tests|bench|benchmark|benchmarks|example|examples|\.github)\//;
const builtFrom = ['@noble/ciphers/src', '@noble/curves/src', '@noble/hashes/src', 'fast-check/lib/cjs'];

// Stays, though earlier set-ups removed it: native/ is compiled over the first, again whenever it has changed, benches
// and pages by the others.
const compiledFrom = [
  'node_modules/secp256k1/src/secp256k1/src',
  'node_modules/@types/benchmark/index.d.ts',
  `node_modules/@typescript/typescript-${thisMachine}/lib/lib.dom.d.ts`,
];

const foreignParser = /\/dist\/(?:jiti|flow|babel|acorn|meriyah|glimmer|angular|graphql|html|sorter|v3|v4)-[^/]*\.js$/;

/**
 * Removes what packages carry for other machines, a third of all that npm installs. Only what this machine has loaded
 * may be trimmed.
 */
export async function trimPackages() {
  await stamped(stampPath, thisMachine, () => {
    for (const path of superfluous()) rmSync(inProject(path), { recursive: true, force: true });
  });
}

/**
 * True when another kind of machine, or an older set-up, has used this folder and removed files that are needed here.
 */
export function isTrimmedElsewhere() {
  const trimmedFor = readText(stampPath);
  return (
    trimmedFor !== undefined &&
    (trimmedFor !== thisMachine || !compiledFrom.every((path) => existsSync(inProject(path))))
  );
}

/** Paths of what nothing on this machine opens. */
function superfluous() {
  const rocksdb = 'node_modules/@nxtedition/rocksdb';
  return [
    // Earlier set-ups kept the compiler of native/ and the HTTP server here.
    ...['@yowasp', 'uWebSockets.js', 'bufferutil', 'utf-8-validate'].map((name) => `node_modules/${name}`),
    // The sources of the binding, and its ready-made files once more.
    `${rocksdb}/deps`,
    `${rocksdb}/prebuilds.zip`,
    ...['@nxtedition/rocksdb', 'secp256k1'].flatMap(prebuildsOfOthers),
    ...builtFrom.map((folder) => `node_modules/${folder}`),
    // The types of workers of browsers, where nothing of ours runs; pages need the others.
    ...listFiles('node_modules/@typescript').filter((path) => /\/lib\.webworker[^/]*\.d\.ts$/.test(path)),
    // Looks of the highlighter that the docs don't have.
    ...['scss', 'styles'].map((name) => `node_modules/highlight.js/${name}`),
    // Of the library that benches are taken with, each function once more; another one's tests among its files; bundles
    // for browsers.
    ...listFiles('node_modules/lodash').filter((path) => !/\/(?:lodash\.js|package\.json|LICENSE)$/.test(path)),
    ...listFiles('node_modules/hdr-histogram-js/dist').filter((path) => /\.spec\.(?:js|d\.ts)$/.test(path)),
    'node_modules/pako/dist',
    'node_modules/hdr-histogram-js/dist/hdrhistogram.umd.js',
    // Pages of the browsers' driver for people who record and watch; what an accessibility check says in other
    // languages.
    'node_modules/playwright-core/lib/vite',
    'node_modules/playwright-core/lib/webp_codec.wasm',
    'node_modules/playwright-core/types/protocol.d.ts',
    'node_modules/axe-core/locales',
    // The same once more: as people read it, for pages that load it by itself; keys that NATS clients use, slow and
    // packed.
    'node_modules/markdown-it/dist/browser',
    ...['uPlot.iife.js', 'uPlot.iife.min.js'].map((name) => `node_modules/uplot/dist/${name}`),
    'node_modules/axe-core/axe.js',
    ...['nacl.js', 'nacl.min.js', 'nacl-fast.min.js'].map((name) => `node_modules/tweetnacl/${name}`),
    // What editors and writers of plugins read; types for older compilers; what native parts could be built from.
    ...['configuration_schema.json', 'dist/plugins-dev.d.ts', 'dist/index.d.ts'].map(
      (name) => `node_modules/oxlint/${name}`,
    ),
    'node_modules/fast-check/lib/types57',
    ...['napi.h', 'napi-inl.h'].map((name) => `node_modules/node-addon-api/${name}`),
    'node_modules/entities/src',
    // Guides to the log and to the pool of threads.
    ...['pino', 'piscina'].map((name) => `node_modules/${name}/docs`),
    // The same code once more, as CommonJS or before it was packed; a C library's tests of itself.
    'node_modules/markdown-it/dist/markdown-it.cjs.js',
    'node_modules/uplot/dist/uPlot.cjs.js',
    ...listFiles('node_modules/preact/src').filter((path) => path.endsWith('.js')),
    ...['tests.c', 'tests_exhaustive.c'].map((name) => `node_modules/secp256k1/src/secp256k1/src/${name}`),
    // The formatter's parsers of languages that are not spoken here.
    ...listFiles('node_modules/oxfmt/dist').filter((path) => foreignParser.test(path)),
    ...listFiles('node_modules').filter(
      (path) => path.endsWith('.map') || unusedFolder.test(path) || isPageToRead(path),
    ),
  ].filter((path) => existsSync(inProject(path)));
}

/** In a folder for each kind of machine, such as `linux-x64` or `darwin-x64+arm64`. */
function prebuildsOfOthers(name) {
  const folder = `node_modules/${name}/prebuilds`;
  if (!existsSync(inProject(folder))) return [];
  return readdirSync(inProject(folder))
    .filter((machines) => !fits(machines))
    .map((machines) => `${folder}/${machines}`);
}

function fits(machines) {
  const [platform, architectures = ''] = machines.split('-');
  return platform === process.platform && architectures.split('+').includes(process.arch);
}

/** Pages for people, but for licences, which stay with what they are for. */
function isPageToRead(path) {
  return /\/(?:readme|changelog|history|changes)[^/]*\.md$/i.test(path);
}
