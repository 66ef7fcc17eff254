/** The head of the state that reads are answered from, for calls that want at least a certain one. */
export interface Heads {
  /** The present head as JSON text. What is read after this call is of this head or a later one. */
  json(): string;
  /** The same as the value of a header. */
  line(): string;
  /**
   * Tells whether reads from now on are at least of the head with that number or id. `soon` means that it may come
   * within HEAD_WAIT_MS. Refuses texts that name no head of this chain, and heads that are out of reach.
   */
  standing(asked: string): 'here' | 'soon';
  /** The number of the present head. */
  number(): number;
  /** Runs whenever the head has moved and readers see it. */
  onMove(run: () => void): void;
}

/** A block's interval: what a node lags behind that is in step with the others. */
export const HEAD_WAIT_MS = 3000;
