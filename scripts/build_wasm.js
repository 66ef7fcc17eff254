// Compiles native/ over the C sources of the npm package `secp256k1` to build/pharos_crypto.wasm, with the compiler
// that set-up puts into build/compiler. Does nothing when sources, flags and pinned versions are those of the last
// time. Plain JS: runs before the build.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'build', 'pharos_crypto.wasm');
const stamp = `${output}.inputs`;
const packages = join(root, 'build', 'compiler', 'node_modules');

const compilerFlags = [
  '--target=wasm32-unknown-unknown',
  '-std=c11',
  '-O3',
  // Four limbs at a time are put together one by one, and read one by one again.
  '-fno-slp-vectorize',
  '-msimd128',
  '-mbulk-memory',
  '-ffreestanding',
  '-nostdlib',
  '-Wall',
  '-Wno-unused-function',
  '-Ilibc',
  '-Isecp256k1',
  '-Isecp256k1/src',
  '-c',
];

const linkerFlags = [
  '-m',
  'wasm32',
  // Static memory only: the stack first, so that an overflow traps instead of overwriting tables.
  '--no-entry',
  '--stack-first',
  '-z',
  'stack-size=1048576',
  // What is behind them is for the points (native/affine_sums.h); what nobody writes to takes no memory.
  '--initial-memory=58720256',
  '--strip-all',
];

const units = ['pharos_crypto', 'libc/string'];

/** The C files under `folder` as a tree of texts. */
function readTree(folder) {
  const tree = {};
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) tree[entry.name] = readTree(path);
    else if (/\.[ch]$/.test(entry.name)) tree[entry.name] = readFileSync(path, 'utf8');
  }
  return tree;
}

/**
 * Everything that decides the output, as one hash; versions of the compiler and of secp256k1 are pinned beside the
 * sources.
 */
function inputsHash(tree) {
  const pinned = readFileSync(join(root, 'native', 'package-lock.json'), 'utf8');
  return createHash('sha256')
    .update(JSON.stringify([tree, compilerFlags, linkerFlags, pinned]))
    .digest('hex');
}

/** Returns the hash of the last compilation, or undefined when the output is missing. */
function lastHash() {
  try {
    readFileSync(output);
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

/** The compiled module; on errors the compiler's own words, and exit code 1. */
async function compile(sources) {
  const library = join(packages, 'secp256k1', 'src', 'secp256k1');
  const tree = {
    ...sources,
    secp256k1: { include: readTree(join(library, 'include')), src: readTree(join(library, 'src')) },
  };
  // Imported only when needed: the compiler is 100 MB of WASM.
  const { commands } = await import(pathToFileURL(join(packages, '@yowasp', 'clang', 'gen', 'bundle.js')).href);
  const messages = [];
  const told = (bytes) => bytes && messages.push(Buffer.from(bytes));
  const options = { stdout: told, stderr: told, fetchProgress: () => undefined };
  try {
    const objects = {};
    for (const [k, unit] of units.entries()) objects[`${k}.o`] = await compileObject(unit, tree, commands, told);
    const linked = await commands['wasm-ld'](
      [...linkerFlags, ...Object.keys(objects), '-o', 'linked.wasm'],
      objects,
      options,
    );
    return linked['linked.wasm'];
  } catch (error) {
    // What is thrown for an error in the sources carries the whole source tree, so only the messages are shown.
    process.stderr.write(messages.length > 0 ? Buffer.concat(messages) : `${error}\n`);
    process.exit(1);
  }
}

/**
 * By way of stdout: to a file the compiler writes a few bytes at a time, and its file system copies all that is there
 * at each of them.
 */
async function compileObject(unit, tree, commands, told) {
  const pieces = [];
  const options = {
    stdout: (bytes) => bytes && pieces.push(Buffer.from(bytes)),
    stderr: told,
    fetchProgress: () => undefined,
  };
  await commands.clang([...compilerFlags, `${unit}.c`, '-o', '-'], tree, options);
  return new Uint8Array(Buffer.concat(pieces));
}

function write(bytes, hash) {
  mkdirSync(dirname(output), { recursive: true });
  // Renamed into place: a reader never sees half a file, and the stamp comes last.
  writeFileSync(`${output}.new`, bytes);
  renameSync(`${output}.new`, output);
  writeFileSync(stamp, hash);
}

const sources = readTree(join(root, 'native'));
const hash = inputsHash(sources);
if (lastHash() !== hash) write(await compile(sources), hash);
