/** How a sink stands; counts are those since its start. */
export interface SinkFigures {
  /** The last block of the stream. */
  readonly number: number;
  /** How many blocks of the chain it has not yet. */
  readonly lagBlocks: number;
  /** From the time of its last block to that of the last one that it is to have. */
  readonly lagSeconds: number;
  readonly blocks: number;
  readonly messages: number;
  readonly operations: number;
  readonly bytes: number;
  /** How often it was begun again. */
  readonly retries: number;
  /** Why nothing is written now; undefined while it is. */
  readonly problem: string | undefined;
}
