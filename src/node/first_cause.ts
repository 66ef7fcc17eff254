/**
 * Runs something, then `cleanUp` in any case. When both fail, the first error is thrown: what has failed often can't be closed either,
 * and the operator needs to know the cause.
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
