import type { Program } from './program.ts';
import { Site } from './site.ts';

const site = new Site();
let common: Promise<Program> | undefined;

/**
 * A development chain for files of tests that only ask, pay and are refused: all of a process have the same one, which
 * ends with the process. They leave its accounts with some coins, take its time, mining and folder as they are, and close
 * the sockets that they open.
 */
export async function commonChain(): Promise<Program> {
  common ??= site.dev('--fresh', '--silent');
  const program = await common;
  program.unref();
  return program;
}
