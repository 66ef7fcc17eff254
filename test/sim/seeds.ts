const extra = Number(process.env['PHAROS_SIM_SEEDS'] ?? 0);
const first = Number(process.env['PHAROS_SIM_FIRST_SEED'] ?? 1);

/** The seeds that a test always has, and by command as many others as one likes, from a number on. */
export function chooseSeeds(...usual: readonly number[]): readonly number[] {
  return [...usual, ...Array.from({ length: extra }, (_, index) => first + index)];
}
