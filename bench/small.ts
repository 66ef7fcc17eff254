// Runs the small form of each bench that run.ts names, and tells it that the bench has ended.
import { importBench } from './bench.ts';

/** That a bench has ended, and how it has failed. */
export interface SmallResult {
  readonly file: string;
  readonly failure: string | undefined;
}

process.on('message', (file: string) => {
  void runBench(file).then((failure) => process.send?.({ file, failure } satisfies SmallResult));
});

async function runBench(file: string): Promise<string | undefined> {
  try {
    const run = await importBench(`./${file}`);
    await run({ quick: true });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
