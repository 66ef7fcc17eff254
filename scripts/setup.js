// Makes a clone ready to run: packages, WASM, TypeScript, pages; what is up to date is skipped (0.1 s when everything
// is). Plain JavaScript and node built-ins only, because it runs before anything is installed. Two commands at once are
// safe: one works, the other waits and then finds nothing to do.
import { spawnSync } from 'node:child_process';
import { getHashes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { whyOutOfSupport, whyTooOld } from './oldest_node.js';
import { inProject, root } from './place.js';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { withLock } from './setup/lock.js';
import { stepsToRun } from './setup/steps.js';

/**
 * Does every step that is out of date, those at the same time that don't need each other; throws SetupFailure with a
 * message for people.
 */
export function setUp(steps = stepsToRun) {
  refuseOldNode();
  const remark = whyOutOfSupport();
  if (remark !== undefined) say(remark);
  if (steps.every((step) => step.isCurrent())) return;
  withLock(inProject('build/.lock'), say, () => runSteps(steps));
}

/**
 * In a process of its own: callers wait for the end, while steps wait for each other. Its descriptor 3 takes the
 * failure.
 */
function runSteps(steps) {
  const args = [inProject('scripts/setup/run.js'), ...steps.map(({ name }) => name)];
  const { status, signal, output } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 2, 2, 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return;
  const told = output?.[3] ?? '';
  if (told === '') throw new SetupFailure(`set-up has ended with ${signal ?? status}`);
  const { message, output: above } = JSON.parse(told);
  throw new SetupFailure(message, above);
}

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
