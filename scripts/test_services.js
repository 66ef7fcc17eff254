// npm run test:services: sets up, then runs the tests in test/services, which need what comes from elsewhere: packages
// of the registry, other Nodes, programs of the system. What can't be had is a failure. Words and flags are those of
// npm test; `--long` runs all of each.
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';
import { runTests } from './test_files.js';

await reportingFailure(() => {
  setUp();
  const args = process.argv.slice(2).filter((arg) => arg !== '--long');
  const form = process.argv.includes('--long') ? 'long' : 'short';
  process.exitCode = runTests(args, 'services', { PHAROS_SERVICES_FORM: form });
});
