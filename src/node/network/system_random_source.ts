import { randomBytes } from '../../crypto/random.ts';
import type { RandomSource } from '../../p2p/environment/environment.ts';

const WORDS = 2 ** 32;

/** Chance that nobody can foresee. */
export const systemRandomSource: RandomSource = {
  roll: (below) => Math.floor((Buffer.from(randomBytes(4)).readUInt32LE() / WORDS) * below),
};
