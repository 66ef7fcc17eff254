/** The head of the state that reads are answered from, for calls that want at least a certain one. */
export interface Heads {
  /** The present head as JSON text. What is read after this call is of this head or a later one. */
  json(): string;
  /** The same as the value of a header. */
  line(): string;
  /**
   * Whether what is read from now on is at least of the head that is asked for, as its number or id; `soon` when it may come within
   * HEAD_WAIT_MS. Refuses what is no head, none of this chain, and one that is out of reach.
   */
  standing(asked: string): 'here' | 'soon';
  /** The number of the present head. */
  number(): number;
  /** Runs whenever the head has moved and readers see it. */
  onMove(run: () => void): void;
}

/** A block's interval: what a node lags behind that is in step with the others. */
export const HEAD_WAIT_MS = 3000;
