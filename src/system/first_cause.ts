/**
 * Runs something, then `cleanUp` in any case. When both fail, the first error is thrown: what has failed often can't be
 * closed either, and the operator needs to know the cause.
 */
export async function cleaningUp<T>(run: () => Promise<T>, cleanUp: () => Promise<void>): Promise<T> {
  let result: T;
  try {
    result = await run();
  } catch (error) {
    await cleanUp().catch(() => undefined);
    throw error;
  }
  await cleanUp();
  return result;
}

/**
 * Runs something; when it fails, takes back what there is of it, as far as that can be done, and throws what it failed
 * with.
 */
export async function undoingOnError<T>(run: () => Promise<T>, undo: () => Promise<void>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await undo().catch(() => undefined);
    throw error;
  }
}
