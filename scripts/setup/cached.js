import { keepBuild, restoreBuild } from './cache.js';
import { builtFrom, contentKey } from './stamp.js';

/** What a step returns that has not built everything: it is not taken to the cache. */
export const notKept = Symbol('not kept');

/**
 * Builds a step's outputs, or takes them from the cache of this user; says which.
 * @param {{ name: string, stamp: string, inputs: import('./stamp.js').Inputs, outputs: readonly string[], build: () => unknown }} step
 */
export async function builtOrRestored({ name, stamp, inputs, outputs, build }) {
  let how = 'taken from the cache';
  await builtFrom(stamp, inputs, async () => {
    const key = contentKey(inputs);
    if (restoreBuild(name, key, outputs)) return;
    const built = await build();
    how = 'done';
    // What changed while it was compiled would be kept under a key that it doesn't have.
    if (built !== notKept && contentKey(inputs) === key) keepBuild(name, key, outputs);
  });
  return how;
}
