// npm run operate: writes those files of scripts/operate that follow from declarations of the program. A test says when it is due.
import { writeFileSync } from 'node:fs';
import { inProject } from './place.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';

/** @returns {Promise<Readonly<Record<string, string>>>} what these files are to have, by name */
export async function operateFiles() {
  const { settingsFile } = await import('../build/src/node/config/settings_file.js');
  return { 'pharos.ini': settingsFile() };
}

if (process.argv[1] === inProject('scripts', 'operate.js'))
  await reportingFailure(async () => {
    setUp();
    for (const [name, text] of Object.entries(await operateFiles())) {
      writeFileSync(inProject('scripts', 'operate', name), text);
      console.log(`scripts/operate/${name}`);
    }
  });
