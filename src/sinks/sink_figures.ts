/** The state of a sink; counts are those since its start. */
export interface SinkFigures {
  /** The last block of the stream. */
  readonly number: number;
  /** The number of blocks between its last one and the chain's: those to be written, or those to be taken back. */
  readonly lagBlocks: number;
  /** From the time of its last block to that of the last one that it is to have. */
  readonly lagSeconds: number;
  readonly blocks: number;
  readonly messages: number;
  readonly operations: number;
  readonly bytes: number;
  /** Blocks that were taken back because the chain has left their branch. */
  readonly undone: number;
  /** The number of retries. */
  readonly retries: number;
  /** Messages that the server had acknowledged and that the stream did not have later. */
  readonly lostMessages: number;
  /** The seconds since the last of them were missed; undefined for none. */
  readonly lostSecondsAgo: number | undefined;
  /** A long activity or wait that an operator may wonder about; undefined while it writes. */
  readonly standing: string | undefined;
  /** The reason why nothing is written now; undefined while it is. */
  readonly problem: string | undefined;
}
