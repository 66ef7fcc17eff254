import { existsSync } from 'node:fs';
import { listFiles, inProject } from '../place.js';
import { installApart, removeApart } from './apart.js';
import { builtOrRestored } from './cached.js';
import { runCommand } from './command.js';
import { SetupFailure } from './failure.js';
import { isUpToDate } from './stamp.js';

const stamp = 'build/.stamp_wasm';
const outputs = ['build/pharos_crypto.wasm', 'build/pharos_crypto.wasm.inputs'];
const builder = 'scripts/build_wasm.js';
const compiler = { what: 'the compiler of native/', pinnedIn: 'native', folder: 'build/compiler' };
// Code that runs for seconds only: V8's optimizing compiler takes longer than what it saves.
const v8Flags = ['--liftoff-only'];

/** Compiles native/ to build/pharos_crypto.wasm. The compiler, 75 MB, is installed for that, and removed afterwards. */
export const wasm = {
  name: 'wasm',
  needs: [],
  doing: 'compiling the WASM module',
  isCurrent: () => existsSync(inProject(outputs[0])) && isUpToDate(stamp, inputs()),
  async run() {
    return await builtOrRestored({ name: 'wasm', stamp, inputs: inputs(), outputs, build });
  },
};

/** Fetches the compiler, as native/package-lock.json pins it. */
export async function installCompiler() {
  await installApart(compiler);
}

async function build() {
  await installCompiler();
  const { status, output } = await runCommand(process.execPath, [...v8Flags, inProject(builder)]);
  if (status !== 0) throw new SetupFailure('compiling the WASM module failed, see above', output);
  removeApart(compiler.folder);
}

function inputs() {
  return { files: [builder, ...listFiles('native')], texts: [] };
}
