/** Lanes order messages: one of a lower number goes first. */
export const CONTROL = 0;
export const BLOCKS = 1;
export const TRANSACTIONS = 2;
/** Sync and large bodies. */
export const BULK = 3;

export type Lane = typeof CONTROL | typeof BLOCKS | typeof TRANSACTIONS | typeof BULK;

export const lanes: readonly Lane[] = [CONTROL, BLOCKS, TRANSACTIONS, BULK];

/** The lane of that number; undefined for a number that is none. */
export function findLane(number: number): Lane | undefined {
  return lanes.find((lane) => lane === number);
}

/** Returns whether what is under way on a lane is bounded by what the peer said to have consumed. */
export function isPaced(lane: Lane): boolean {
  return lane >= TRANSACTIONS;
}
