// Bundles, packs and lists the pages that a node serves to browsers, into build/pages. Set-up runs it when a source of
// them has changed.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { docsFiles } from './build_docs.js';
import { bundleForBrowsers } from './pack/client_bundle.js';
import { listFiles, inProject } from './place.js';
import { licenseTexts, listPackages } from './setup/bundled.js';

const folder = 'build/pages';
const sources = 'src/pages';

/** By its ending what a browser is told that a file is. */
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Files that are in some bundle. @type {Set<string>} */
const bundled = new Set();

/**
 * Chromium then compiles all functions of a script while it loads, beside the thread that draws. Without it, each is
 * parsed there, and compiled on the drawing thread when it is first called. Other browsers take it for a comment.
 */
const COMPILED_EARLY = '//# allFunctionsCalledOnLoad';

/** Modules of the explorer that are loaded when they are needed. */
const loadedLater =
  /\/src\/pages\/explorer\/(?:views\/\w+|proving)\.tsx$|\/build\/src\/client\/(?:sending|signing|document_subscription)\.js$/;

/**
 * Each module that is loaded later reaches the whole app, which is loaded before it anyway. So what they share with the
 * app is one file of it instead of a dozen, which browsers compile in less time.
 */
const besideApp = {
  name: 'beside the app',
  setup(build) {
    build.onLoad({ filter: loadedLater }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\nexport { App as beside } from ${JSON.stringify(relativePath(path))};\n`,
      loader: path.endsWith('.tsx') ? 'tsx' : 'js',
    }));
  },
};

rmSync(inProject(folder), { recursive: true, force: true });
await writeExplorer();
await writeDocs();
packAll();
write('LICENSES', licenseTexts(listPackages([...bundled])));

/** One page, whose views are fragments of its address: so its links are right wherever a proxy puts it. */
async function writeExplorer() {
  const own = (name) => `${sources}/explorer/${name}`;
  const nameOfOutput = await bundle(
    { main: own('main.tsx'), style: own('style.css') },
    { plugins: [besideApp], banner: { js: COMPILED_EARLY } },
  );
  write('assets/icon.svg', readFileSync(inProject(sources, 'icon.svg')));
  const html = readFileSync(inProject(own('index.html')), 'utf8');
  write(
    'index.html',
    html.replace('./style.css', nameOfOutput(own('style.css'))).replace('./main.tsx', nameOfOutput(own('main.tsx'))),
  );
}

/** The app as a module imports it. */
function relativePath(path) {
  return relative(dirname(path), inProject(sources, 'explorer/app.tsx')).replace(/^(?!\.)/, './');
}

/** A page for each method, operation, shape and guide, which can be read without its script. */
async function writeDocs() {
  const own = (name) => `${sources}/docs/${name}`;
  const nameOfOutput = await bundle({ docs: own('docs.tsx'), docs_style: own('docs.css') });
  const assets = {
    script: nameOfOutput(own('docs.tsx')),
    style: nameOfOutput(own('docs.css')),
    icon: 'assets/icon.svg',
  };
  for (const { path, text } of await docsFiles(assets)) write(path, text);
}

/**
 * Scripts in parts that are loaded when they are used, and styles, each with its content's hash in its name.
 * @returns what an entry's file is called below the folder of pages
 */
async function bundle(entryPoints, options = {}) {
  const { metafile } = await bundleForBrowsers({
    entryPoints,
    ...options,
    outdir: `${folder}/assets`,
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    // Programs outside browsers open a WebSocket by it; here it is never loaded.
    external: ['ws'],
  });
  for (const input of Object.keys(metafile.inputs)) bundled.add(input);
  const outputs = Object.entries(metafile.outputs);
  return (entry) => relativeName(outputs.find(([, { entryPoint }]) => entryPoint === entry)[0]);
}

/** @param {string} path of a file below the folder of pages, from the project's folder */
function relativeName(path) {
  return path.slice(`${folder}/`.length);
}

function write(name, content) {
  const path = inProject(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Beside each file its packed forms, and a list of all: a node neither packs nor looks for anything. */
function packAll() {
  const list = {};
  for (const path of listFiles(folder)) {
    const type = types[extname(path)];
    if (type === undefined) throw new Error(`${path}: a browser is told one of ${Object.keys(types).join(' ')}`);
    const content = readFileSync(inProject(path));
    const tag = `W/"${createHash('sha256').update(content).digest('hex').slice(0, 20)}"`;
    list[relativeName(path)] = { type, tag, isImmutable: /^assets\/.*-[0-9A-Z]{8}\./.test(relativeName(path)) };
    // Hundreds of pages, each of them loaded now and then: packed a little less well, in a tenth of the time.
    const quality = path.startsWith(`${folder}/docs/`) ? 9 : 11;
    writeFileSync(
      inProject(`${path}.br`),
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    );
    writeFileSync(inProject(`${path}.gz`), gzipSync(content, { level: 9 }));
  }
  write('list.json', `${JSON.stringify(list)}\n`);
}
