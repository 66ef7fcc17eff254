import { randomBytes } from '../../crypto/random.ts';
import type { Dice } from '../../p2p/outside.ts';

const WORDS = 2 ** 32;

/** Chance that nobody can foresee. */
export const systemDice: Dice = {
  roll: (below) => Math.floor((Buffer.from(randomBytes(4)).readUInt32LE() / WORDS) * below),
};
