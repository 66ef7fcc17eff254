import { Command } from 'commander';
import { writeApp } from './init/app_project.ts';

const EXAMPLES = `
Example:
  $ pharos init app my-app                              in a clone, after npm run pack
  $ pharos init app my-app --packages ../pharos/build/packages

The project pays, follows payments, and tests both on a development chain, in TypeScript. The packages are copied
into it, because their names are not published.

Exit codes: 0 done, 1 a file can't be read or written, 2 wrong usage, no packages, or a folder that has something in it`;

/** `pharos init`: begins a project of an application developer. */
export function initCommand(): Command {
  return new Command('init').description('begin a project').addCommand(
    new Command('app')
      .description('write a small TypeScript project that uses a chain, with tests')
      .argument('<folder>', 'a new folder, or an empty one')
      .option('--packages <folder>', 'where the packages lie that npm run pack makes', 'build/packages')
      .addHelpText('after', EXAMPLES)
      .action((folder: string, { packages }: { readonly packages: string }) => {
        writeApp(folder, packages);
        process.stdout.write(`wrote ${folder}; next: cd ${folder}, npm install, npm test\n`);
      }),
  );
}
