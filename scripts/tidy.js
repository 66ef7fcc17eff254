// npm run tidy: formats in place and mends what the linter can mend by itself. With paths, only those.
import { spawnSync } from 'node:child_process';
import { root } from './place.js';
import { formatCommand, lintCommand } from './style.js';
import { packages } from './setup/packages.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';

await reportingFailure(() => {
  const paths = process.argv.slice(2);
  setUp([packages]);
  const results = [lintCommand('--fix', ...paths), formatCommand('--write', ...paths)].map(
    ([command, ...args]) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status,
  );
  process.exitCode = results.every((status) => status === 0) ? 0 : 1;
});
