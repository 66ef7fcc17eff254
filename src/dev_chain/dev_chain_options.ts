import type { Mining } from '../rpc/mining.ts';

/** Options of a test's chain; all may be left out. */
export interface DevChainOptions {
  /** The port of 127.0.0.1 that answers JSON-RPC over HTTP and WebSocket; a free one by default. */
  readonly port?: number | undefined;
  /** The number of funded accounts besides the witness, 10 by default and 1000 at most. */
  readonly accounts?: number | undefined;
  /** The number of this chain's witnesses that share the slots, 1 by default and 51 at most; prices need several. */
  readonly witnesses?: number | undefined;
  /**
   * Blocks that apply hardforks without votes, by the name of the hardfork, such as `{ bandwidth: 100 }`. All others
   * follow time and votes.
   */
  readonly hardforks?: Readonly<Record<string, number>> | undefined;
  /** The seed of the keys, together with the names of the accounts. */
  readonly seed?: string | undefined;
  /** When blocks are made: with each transaction by default. */
  readonly mining?: Mining | undefined;
  /** Milliseconds between blocks for `interval`, 3000 by default. */
  readonly blockIntervalMs?: number | undefined;
  /**
   * When the chain begins, in seconds since 1970; now by default. The same time, seed and accounts give the same chain
   * id.
   */
  readonly genesisTime?: number | undefined;
  /**
   * The path of a snapshot: the chain begins with its state, has its accounts and time, and all of its witnesses sign
   * here.
   */
  readonly fork?: string | undefined;
}
