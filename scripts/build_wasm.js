// Compiles native/ over the C sources inside the npm package `secp256k1` to build/pharos_crypto.wasm.
// Does nothing when the sources, the flags and the compiler are those of the last time. Plain JS: runs before the build.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'build', 'pharos_crypto.wasm');
const stamp = `${output}.inputs`;

const flags = [
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
  // Static memory only: the stack first, so that an overflow traps instead of overwriting tables.
  '-Wl,--no-entry',
  '-Wl,--stack-first',
  '-Wl,-z,stack-size=1048576',
  // What is behind them is for the points (native/affine_sums.h); what nobody writes to takes no memory.
  '-Wl,--initial-memory=58720256',
  '-Wl,--strip-all',
  'pharos_crypto.c',
  'libc/string.c',
  '-o',
  'pharos_crypto.wasm',
];

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

function versionOf(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', ...name.split('/'), 'package.json'), 'utf8')).version;
}

/** Everything that decides the output, as one hash. */
function inputsHash(tree) {
  const inputs = JSON.stringify([tree, flags, versionOf('@yowasp/clang')]);
  return createHash('sha256').update(inputs).digest('hex');
}

/** What was compiled last, or undefined when the output is missing. */
function lastHash() {
  try {
    readFileSync(output);
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

/** The compiled module; on errors the compiler's own words, and exit code 1. */
async function compile(tree) {
  // Imported only when needed: the compiler is 100 MB of WASM.
  const { commands } = await import('@yowasp/clang');
  const messages = [];
  const collect = (bytes) => bytes && messages.push(Buffer.from(bytes));
  try {
    const files = await commands.clang(flags, tree, { stdout: collect, stderr: collect, fetchProgress: () => {} });
    return files['pharos_crypto.wasm'];
  } catch {
    // The thrown value carries the whole source tree, so only the messages are shown.
    process.stderr.write(Buffer.concat(messages));
    process.exit(1);
  }
}

function write(bytes, hash) {
  mkdirSync(dirname(output), { recursive: true });
  // Renamed into place: a reader never sees half a file, and the stamp comes last.
  writeFileSync(`${output}.new`, bytes);
  renameSync(`${output}.new`, output);
  writeFileSync(stamp, hash);
}

const secp256k1 = join(root, 'node_modules', 'secp256k1', 'src', 'secp256k1');
const tree = {
  ...readTree(join(root, 'native')),
  secp256k1: { include: readTree(join(secp256k1, 'include')), src: readTree(join(secp256k1, 'src')) },
};
const hash = inputsHash(tree);
if (lastHash() !== hash) write(await compile(tree), hash);
