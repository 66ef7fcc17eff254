// Makes a clone ready to run: packages, WASM, TypeScript, pages; what is up to date is skipped (0.1 s when everything is).
// Plain JavaScript and node built-ins only, because it runs before anything is installed.
// Two commands at once are safe: one works, the other waits and then finds nothing to do.
import { getHashes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { whyTooOld } from './oldest_node.js';
import { inProject } from './place.js';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { withLock } from './setup/lock.js';
import { packages } from './setup/packages.js';
import { pages } from './setup/pages.js';
import { typescript } from './setup/typescript.js';
import { wasm } from './setup/wasm.js';

/** Does every step that is out of date, in order; throws SetupFailure with a message for people. */
export function setUp(steps = [packages, wasm, typescript, pages]) {
  refuseOldNode();
  if (steps.every((step) => step.isCurrent())) return;
  withLock(inProject('build/.lock'), say, () => {
    for (const step of steps) {
      if (step.isCurrent()) continue;
      say(step.doing);
      const startedAt = Date.now();
      step.run(say);
      say(`done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    }
  });
}

/** What must be there before the types can be checked. */
export const stepsBeforeCompiling = [packages, wasm];

function refuseOldNode() {
  const tooOld = whyTooOld();
  if (tooOld !== undefined) throw new SetupFailure(tooOld);
  if (!getHashes().includes('ripemd160'))
    throw new SetupFailure('the OpenSSL of this Node has no RIPEMD-160, which addresses and keys are written with');
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

const isCommand = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isCommand) await reportingFailure(() => setUp());
