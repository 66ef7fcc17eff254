import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { filesBelow, inProject } from '../place.js';
import { builtOrRestored } from './cached.js';
import { runCommand } from './command.js';
import { SetupFailure } from './failure.js';
import { networkMissing, npm } from './npm.js';
import { isBuiltFrom } from './stamp.js';

const stamp = 'build/.stamp_wasm';
const outputs = ['build/pharos_crypto.wasm', 'build/pharos_crypto.wasm.inputs'];
const builder = 'scripts/build_wasm.js';
const compilerFolder = 'build/compiler';
// Code that runs for seconds only: V8's optimizing compiler takes longer than what it saves.
const v8Flags = ['--liftoff-only'];

/** Compiles native/ to build/pharos_crypto.wasm. The compiler, 75 MB, is installed for that, and removed afterwards. */
export const wasm = {
  name: 'wasm',
  needs: [],
  doing: 'compiling the WASM module',
  isCurrent: () => existsSync(inProject(outputs[0])) && isBuiltFrom(stamp, inputs()),
  async run() {
    return await builtOrRestored({ name: 'wasm', stamp, inputs: inputs(), outputs, build });
  },
};

async function build() {
  await installCompiler();
  const { status, output } = await runCommand(process.execPath, [...v8Flags, inProject(builder)]);
  if (status !== 0) throw new SetupFailure('compiling the WASM module failed, see above', output);
  removeCompiler();
}

/** What native/package-lock.json pins, in a folder of its own, so that installing the rest needn't wait for it. */
export async function installCompiler() {
  const folder = inProject(compilerFolder);
  removeCompiler();
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(inProject('native', name), `${folder}/${name}`);
  const missing = await networkMissing();
  const flags = ['--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const { status, output } = await npm(['ci', ...flags, ...(missing === undefined ? [] : ['--offline'])], { cwd: folder });
  if (status === 0) return;
  removeCompiler();
  if (missing !== undefined)
    throw new SetupFailure(`${missing}, and npm's cache lacks packages: connect to the network, and run the same command again`, output);
  throw new SetupFailure('installing the compiler of native/ failed, npm says why above', output);
}

/** Deletes the compiler; who changes native/ gets it again, from npm's cache as a rule. */
export function removeCompiler() {
  rmSync(inProject(compilerFolder), { recursive: true, force: true });
}

function inputs() {
  return { files: [builder, ...filesBelow('native')], texts: [] };
}
