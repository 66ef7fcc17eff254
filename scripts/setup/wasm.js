import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { filesBelow, inProject, root } from '../place.js';
import { SetupFailure } from './failure.js';
import { wantedPackages } from './packages.js';
import { fingerprint, isStamped, stamped } from './stamp.js';

const stampPath = 'build/.stamp_wasm';
const builder = 'scripts/build_wasm.js';

/** Compiles native/ to build/pharos_crypto.wasm. */
export const wasm = {
  doing: 'compiling the WASM module (about 20 s where it has changed)',
  isCurrent: () => existsSync(inProject('build/pharos_crypto.wasm')) && isStamped(stampPath, wanted()),
  run() {
    stamped(stampPath, wanted(), () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [inProject(builder)], { cwd: root });
      // The compiler also reports how it loads itself, which is news only to those who look for an error.
      if (status !== 0) process.stderr.write(Buffer.concat([stdout, stderr]));
      if (status !== 0) throw new SetupFailure('compiling the WASM module failed, see above');
    });
  },
};

function wanted() {
  return fingerprint([builder, ...filesBelow('native')], wantedPackages());
}
