// npm start, npm run bench: sets up, then runs a compiled program in this same process, so that a signal that npm
// forwards reaches the program itself and the program's exit code is the command's. Stack traces name the lines of the
// sources. Usage: node scripts/start.js <module below build/> [arguments]; the module finds them in process.argv, as if
// run directly.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inProject } from './place.js';
import { reportingFailure, SetupFailure } from './setup/failure.js';
import { setUp } from './setup.js';

await reportingFailure(async () => {
  const [, , module, ...args] = process.argv;
  setUp();
  const file = inProject('build', module);
  if (!existsSync(file)) throw new SetupFailure(`there is no ${module} in build/`);
  process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
});
