/** Set-up can't go on; the message is all that people need to see, and the output of the program that failed. */
export class SetupFailure extends Error {
  /** @param {string} message @param {string} output printed above the message */
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/**
 * Runs a command's main function; a SetupFailure becomes one line and exit code 1.
 * @param {() => unknown} main
 */
export async function reportingFailure(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    if (error.output.trim() !== '') process.stderr.write(`${error.output.trimEnd()}\n`);
    process.stderr.write(`pharos: ${error.message}\n`);
    process.exitCode = 1;
  }
}
