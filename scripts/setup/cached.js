import { keepBuild, restoreBuild } from './cache.js';
import { buildIfChanged, contentKey } from './stamp.js';

/** A step returns this when it has not built everything, so that the cache does not keep the result. */
export const notKept = Symbol('not kept');

/**
 * Builds a step's outputs, or takes them from the cache of this user; says which.
 * @param {{ name: string, stamp: string, inputs: import('./stamp.js').Inputs, outputs: readonly string[], build: () => unknown }} step
 */
export async function builtOrRestored({ name, stamp, inputs, outputs, build }) {
  let how = 'taken from the cache';
  await buildIfChanged(stamp, inputs, async () => {
    const key = contentKey(inputs);
    if (restoreBuild(name, key, outputs)) return;
    const built = await build();
    how = 'done';
    // What changed while it was compiled would be kept under a key that it doesn't have.
    if (built !== notKept && contentKey(inputs) === key) keepBuild(name, key, outputs);
  });
  return how;
}
