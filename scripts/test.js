// npm test: sets up, then runs the compiled tests that need nothing but this machine. `npm test -- chain jsonrpc/http` takes only files whose
// path contains one of the words; flags go to node, as in `npm test -- --test-name-pattern="transfer"`.
import { forgetProvoked, provokedFolder, provokedProblems } from './provoked.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';
import { runTests, servicesFolder } from './test_files.js';

await reportingFailure(async () => {
  setUp();
  const args = process.argv.slice(2);
  const isWhole = args.length === 0;
  if (isWhole) forgetProvoked();
  process.exitCode = runTests(args, (path) => !path.startsWith(servicesFolder), isWhole ? { TEST_PROVOKED: provokedFolder } : {});
  if (isWhole) await tellProvoked();
});

/** Only a whole run can say that no refusal was forgotten. */
async function tellProvoked() {
  const problems = await provokedProblems();
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode ||= 1;
  else console.log('every refusal that is declared was provoked');
}
