/** Set-up can't go on; the message is all that people need to see. */
export class SetupFailure extends Error {}

/**
 * Runs a command's main function; a SetupFailure becomes one line and exit code 1.
 * @param {() => unknown} main
 */
export async function reportingFailure(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    process.stderr.write(`pharos: ${error.message}\n`);
    process.exitCode = 1;
  }
}
