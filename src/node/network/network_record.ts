import { Histogram } from '../../base/histogram.ts';
import type { BlockDelay } from '../../p2p/peers/network_counts.ts';
import type { NetworkState } from './network_messages.ts';

/** A slot is 3 s; what is later than two of them costs the next witness its own. */
const DELAY_EDGES_SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 6];
/** Without a question it takes milliseconds, with one a ping, with a second one half a second. */
const REBUILD_EDGES_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

/** Keeps the network thread's reports: the node's standing among others, and the delays of blocks. */
export class NetworkRecord {
  readonly delays: Readonly<Record<BlockDelay['stage'], Histogram>> = {
    header: new Histogram(DELAY_EDGES_SECONDS),
    received: new Histogram(DELAY_EDGES_SECONDS),
    applied: new Histogram(DELAY_EDGES_SECONDS),
  };
  /** From the short ids of a block to all its transactions. */
  readonly rebuilds = new Histogram(REBUILD_EDGES_SECONDS);
  #state: NetworkState | undefined;
  #threadDelaySeconds = 0;

  /** A second ago; undefined until the network has begun. */
  get state(): NetworkState | undefined {
    return this.#state;
  }

  take(state: NetworkState): void {
    this.#state = state;
    for (const ms of state.figures.rebuiltMs) this.rebuilds.add(ms / 1000);
    for (const { stage, ms } of state.figures.delays) this.delays[stage].add(Math.max(0, ms) / 1000);
    this.#threadDelaySeconds = Math.max(this.#threadDelaySeconds, state.figures.threadDelaySeconds);
  }

  /** The longest delay of the network's event loop since the last call. */
  takeThreadDelaySeconds(): number {
    const seconds = this.#threadDelaySeconds;
    this.#threadDelaySeconds = 0;
    return seconds;
  }
}
