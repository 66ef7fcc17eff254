import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { inProject, root } from '../place.js';
import { formForReading, isTakenForReading, withoutDescriptions } from './reading_form.js';

/** Compiled files that need Node, a WASM module or the right to compile text, and those that take their place. */
const portable = {
  'build/src/client/http_post.js': 'build/src/client/portable/http_post.js',
  'build/src/crypto/aes_cbc.js': 'build/src/crypto/portable/aes_cbc.js',
  'build/src/crypto/hashes.js': 'build/src/crypto/portable/hashes.js',
  'build/src/crypto/keys.js': 'build/src/crypto/portable/keys.js',
  'build/src/crypto/random.js': 'build/src/crypto/portable/random.js',
  'build/src/crypto/shared_secret.js': 'build/src/crypto/portable/shared_secret.js',
  'build/src/crypto/sign.js': 'build/src/crypto/portable/sign.js',
  'build/src/crypto/verify.js': 'build/src/crypto/portable/verify.js',
  'build/src/codec/json_reader.js': 'build/src/codec/portable/json_reader.js',
  'build/src/codec/straight_line.js': 'build/src/codec/portable/straight_line.js',
};
const buffer = 'build/src/codec/portable/buffer.js';
const shapes = 'build/src/client/method_shapes.js';
const FOR_READING = '?for_reading';

/**
 * Bundles src/client as modules that import nothing of Node: what signs is a part of its own, loaded when it is needed.
 * What verifies proofs takes modules in the form for reading.
 */
export async function bundleClient(outdir) {
  const { metafile } = await bundleForBrowsers({
    entryPoints: ['index', 'keys', 'verified'].map((name) => `build/src/client/${name}.js`),
    outdir,
    platform: 'neutral',
    external: ['@noble/*', 'ws'],
    minifySyntax: true,
    chunkNames: '[name]-[hash]',
    // Modules import it themselves, so a page that only reads is without it.
    inject: [],
    plugins: [besideClient, withoutDescriptions],
  });
  return metafile;
}

/**
 * Bundles modules that may use the client, without anything of Node. A `.ts` file of src/ is taken as it was compiled.
 * @param {import('esbuild').BuildOptions} options
 */
export async function bundleForBrowsers({ plugins = [], ...options }) {
  return await esbuild().build({
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    inject: [buffer],
    metafile: true,
    ...options,
    plugins: [...plugins, replacing(await shapesModule())],
  });
}

/** Modules of the client that are loaded when they are needed. */
const loadedLater = /\/build\/src\/client\/(?:sending|signing|document_subscription)\.js$/;

/**
 * A bundler puts what the client shares with each of these modules into a file of its own, and small files compress
 * badly. Each module therefore reaches the whole client, which is loaded before it anyway: a page loads two files
 * instead of nine, and 1.5 KB less.
 */
const besideClient = {
  name: 'beside the client',
  setup(build) {
    build.onLoad({ filter: loadedLater }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\nexport { connect as beside } from './index.js';\n`,
      loader: 'js',
    }));
  },
};

function replacing(shapesText) {
  // A file that has moved would be bundled as it is.
  for (const file of Object.keys(portable))
    if (!existsSync(inProject(file))) throw new Error(`${file}, which is replaced, is not there`);
  return {
    name: 'portable',
    setup(build) {
      build.onResolve({ filter: /^node:buffer$/ }, () => ({ path: inProject(buffer), sideEffects: false }));
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, importer, pluginData }) => {
        const found = compiledPath(new URL(path, `${pathToFileURL(resolveDir)}/`).pathname);
        const other = portable[found.slice(root.length)];
        const form = isTakenForReading(found, importer, pluginData?.isForReading) ? { suffix: FOR_READING } : {};
        // Nothing here does anything by being loaded, so what nobody uses is left out.
        return { path: other === undefined ? found : inProject(other), sideEffects: false, ...form };
      });
      build.onLoad({ filter: /\.js$/ }, ({ path, suffix }) =>
        suffix === FOR_READING
          ? {
              contents: formForReading(path, readFileSync(path, 'utf8')),
              loader: 'js',
              pluginData: { isForReading: true },
            }
          : undefined,
      );
      build.onLoad({ filter: /\/build\/src\/(?:state|storage)\// }, ({ path }) => ({
        contents: emptyModule(readFileSync(path, 'utf8')),
        loader: 'js',
      }));
      build.onLoad({ filter: /method_shapes\.js$/ }, ({ path }) =>
        path === inProject(shapes) ? { contents: shapesText, loader: 'js' } : undefined,
      );
    },
  };
}

/** @param {string} path absolute */
function compiledPath(path) {
  const sources = inProject('src/');
  return path.startsWith(sources) && path.endsWith('.ts')
    ? inProject('build/src', path.slice(sources.length).replace(/ts$/, 'js'))
    : path;
}

/**
 * The same exports, which are nothing: an operation's file says how it is written and what it does to the state, and
 * the latter never happens in a client.
 */
function emptyModule(text) {
  const names = [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)].map(([, name]) => name);
  const passedOn = text.match(/^export \{[^}]*\} from .*$/gm) ?? [];
  return `
    ${passedOn.join('\n')}
    const nothing = /* @__PURE__ */ new Proxy(() => nothing, {
      get: (_, member) => (member === Symbol.iterator ? [][member] : member === Symbol.toPrimitive ? () => 0 : nothing),
    });
    ${names.map((name) => `export const ${name} = nothing;`).join('\n')}`;
}

/** Writes the declarations that method_shapes.js reads as a table. */
async function shapesModule() {
  const { listMethods } = await import('../../build/src/rpc/methods.js');
  const { operationShapes, resultShape } = await import('../../build/src/client/declared_shapes.js');
  const methods = listMethods(
    { fiatConversion: { method: 'fiat_to_coin', result: 'coin' } },
    { debug: true, network: true, production: true, snapshots: true },
  );
  const groups = {};
  for (const method of methods.values()) {
    const [group, name] = method.name.split('.');
    if (method.group !== '') (groups[group] ??= {})[name] = resultShape(method) ?? 0;
  }
  return `
    import { unknownMethod } from './unknown_method.js';
    const groups = ${JSON.stringify(groups)};
    const bodies = ${JSON.stringify(await operationShapes())};
    let shapes;
    export async function methodShape(name) {
      shapes ??= new Map(
        Object.entries(groups).flatMap(([group, methods]) =>
          Object.entries(methods).map(([method, shape]) => [group + '.' + method, shape]),
        ),
      );
      const shape = shapes.get(name);
      if (shape === undefined) throw unknownMethod(name, shapes.keys());
      return shape === 0 ? undefined : shape;
    }
    export async function operationShapes() {
      return bodies;
    }`;
}

// Not imported above: this file may be loaded before anything is installed.
function esbuild() {
  return createRequire(import.meta.url)('esbuild');
}
