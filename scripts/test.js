// npm test: sets up, then runs the compiled tests that need nothing but this machine, seeds and sweeps in a small form.
// Words choose files by a part of their path, as in `npm test -- chain jsonrpc/http`; flags go to node, as in `npm test
// -- --test-name-pattern="transfer"`. npm run test:long (`--long`): the same, of the tests and sizes that npm test
// leaves out.
import { forgetProvoked, provokedFolder, provokedProblems } from './provoked.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';
import { runTests } from './test_files.js';

await reportingFailure(async () => {
  setUp();
  const args = process.argv.slice(2).filter((arg) => arg !== '--long');
  if (process.argv.includes('--long')) process.exitCode = runTests(args, 'long', { TEST_FORM: 'long' });
  else if (args.length > 0) process.exitCode = runTests(args, 'short');
  else await runWhole();
});

/** Only a whole run shows that no refusal was forgotten. It needs none of the long form. */
async function runWhole() {
  forgetProvoked();
  process.exitCode = runTests([], 'short', { TEST_PROVOKED: provokedFolder });
  const problems = await provokedProblems();
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode ||= 1;
  else console.log('every refusal that is declared was provoked');
}
