import { operationKinds } from '../../src/operations/index.ts';
import { hardforkRefusals, knownHardforks, type Hardfork } from '../../src/state/hardforks.ts';
import { makeVersion } from '../../src/values/version.ts';
import { GENESIS_TIME } from './chain.ts';

/**
 * Those of the register that chains of tests apply with their first block; one that is still to come is no part of
 * these tests.
 */
export const appliedHardforks: readonly Hardfork[] = knownHardforks.filter(({ time }) => time <= GENESIS_TIME);

/** A hardfork behind these, which may be applied from that time on. */
export function nextHardfork(time: number): Hardfork {
  const id = appliedHardforks.length + 1;
  return { id, version: makeVersion(1, id, 0), time, doc: 'planted by a test' };
}

/** Runs a test while blocks may have a kind of operation only from that hardfork on. */
export async function plantHardfork<T>(name: string, since: Hardfork, run: () => T | Promise<T>): Promise<T> {
  const kind = Object.values(operationKinds).find((each) => each.name === name);
  if (kind === undefined) throw new Error(`there is no operation ${name}`);
  const { refuses } = kind;
  Object.assign(kind, { since, refuses: { ...hardforkRefusals, ...refuses } });
  try {
    return await run();
  } finally {
    Object.assign(kind, { since: undefined, refuses });
  }
}
