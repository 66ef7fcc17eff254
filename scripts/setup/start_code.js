import { existsSync } from 'node:fs';
import { listFiles, inProject } from '../place.js';
import { programFolder, programFile } from './bundled.js';
import { builtOrRestored, notKept } from './cached.js';
import { runCommand } from './command.js';
import { isUpToDate } from './stamp.js';
import { typescript } from './typescript.js';
import { wasm } from './wasm.js';

const stamp = 'build/.stamp_start_code';
const folder = `${programFolder}/code`;
const makers = ['scripts/program/keep_code.js', 'scripts/program/load.js'];

/**
 * Lets the program keep the functions that it compiles for a start. Without them it starts more slowly, and that is
 * all.
 */
export const startCode = {
  name: 'start-code',
  needs: [typescript, wasm],
  doing: 'keeping what a start compiles',
  isCurrent: () => existsSync(inProject(folder)) && isUpToDate(stamp, inputs()),
  async run(say) {
    return await builtOrRestored({
      name: 'start-code',
      stamp,
      inputs: inputs(),
      outputs: [folder],
      build: () => build(say),
    });
  },
};

async function build(say) {
  const { status } = await runCommand(process.execPath, [inProject('scripts/program/keep_code.js')]);
  if (status === 0) return undefined;
  say('the program could not be started to keep its compiled functions: it will start more slowly');
  return notKept;
}

/** V8 takes functions only with the program and the version that they were compiled with. */
function inputs() {
  const program = listFiles(programFolder).filter((path) => !path.startsWith(`${folder}/`));
  return {
    files: program.includes(programFile) ? [...program, ...makers] : makers,
    texts: [process.version, process.platform, process.arch],
  };
}
