// npm test: sets up, then runs the compiled tests that need nothing but this machine. `npm test -- chain jsonrpc/http` takes only files whose
// path contains one of the words; flags go to node, as in `npm test -- --test-name-pattern="transfer"`.
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';
import { runTests, servicesFolder } from './test_files.js';

await reportingFailure(() => {
  setUp();
  process.exitCode = runTests(process.argv.slice(2), (path) => !path.startsWith(servicesFolder));
});
