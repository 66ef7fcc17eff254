/**
 * The milliseconds of the network's thread of a real node, as measured on one core of the machine that bench/tried.md
 * names: so a seed gives the same run everywhere. `bench/sim/prices.ts` measures each of them again.
 */
export const threadPrices = {
  /** A piece of bytes through TLS and the kernel, in or out, and each of its bytes. */
  piece: 0.008,
  byte: 1.4e-6,
  /** Besides, of a piece that comes while the thread sleeps. */
  wake: 0.055,
  /** To stop reading a peer, and to go on later. */
  stop: 0.15,
  /** A connection with both certificates; and one that is dropped before. */
  handshake: 1,
  dropped: 0.08,
  /** A step of reading messages and dealing with them; there are about ten of each. */
  step: 0.00035,
  /** An id by its number, and a block, from the store. */
  id: 0.012,
  block: 0.018,
  /**
   * One verification of a signature; it shows the speed of another machine. By it the speed of another machine shows.
   */
  signature: 0.045,
} as const;

/** Work that has a price by itself. */
export type Work = Exclude<keyof typeof threadPrices, 'byte'>;
