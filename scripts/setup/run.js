// Run by setup.js, in a process of its own, because its callers wait: does the steps that are named, as many at a time
// as can be done. The message of a failure goes to file descriptor 3.
import { writeSync } from 'node:fs';
import { SetupFailure } from './failure.js';
import { Progress } from './progress.js';
import { steps } from './steps.js';

const failureDescriptor = 3;

/**
 * Runs each step once those have ended that it needs. A failure lets the steps end that run, and starts no others.
 * @param {typeof steps} wanted
 */
async function runSteps(wanted, progress) {
  const started = new Map();
  const failures = [];
  const begin = (step) => {
    const known = started.get(step);
    if (known !== undefined) return known;
    const ended = runStep(step);
    started.set(step, ended);
    return ended;
  };
  const runStep = async (step) => {
    await Promise.all(step.needs.filter((needed) => wanted.includes(needed)).map(begin));
    if (failures.length > 0 || step.isCurrent()) return;
    progress.start(step.name, step.doing);
    try {
      const how = await step.run((text) => progress.say(text));
      progress.end(step.name, how ?? 'done');
    } catch (error) {
      failures.push(error);
      progress.end(step.name, 'failed');
    }
  };
  await Promise.all(wanted.map(begin));
  progress.close();
  if (failures.length > 0) throw failures[0];
}

try {
  const names = new Set(process.argv.slice(2));
  await runSteps(
    steps.filter(({ name }) => names.has(name)),
    new Progress(),
  );
} catch (error) {
  if (!(error instanceof SetupFailure)) throw error;
  writeSync(failureDescriptor, JSON.stringify({ message: error.message, output: error.output }));
  process.exitCode = 1;
}
