// Runs the small form of benches, one after another, and tells run.ts of each that has ended.
import { importBench } from './bench.ts';

/** That a bench has ended, and how it has failed. */
export interface SmallResult {
  readonly file: string;
  readonly failure: string | undefined;
}

for (const file of process.argv.slice(2)) process.send?.({ file, failure: await runBench(file) } satisfies SmallResult);

async function runBench(file: string): Promise<string | undefined> {
  try {
    const run = await importBench(`./${file}`);
    await run({ quick: true });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
