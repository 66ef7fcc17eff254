/** How a sink stands; counts are those since its start. */
export interface SinkFigures {
  /** The last block of the stream. */
  readonly number: number;
  /** How many blocks its last one and the chain's are apart: those to be written, or those to be taken back. */
  readonly lagBlocks: number;
  /** From the time of its last block to that of the last one that it is to have. */
  readonly lagSeconds: number;
  readonly blocks: number;
  readonly messages: number;
  readonly operations: number;
  readonly bytes: number;
  /** Blocks that were taken back because the chain has left their branch. */
  readonly undone: number;
  /** How often it was begun again. */
  readonly retries: number;
  /** Messages that the server had acknowledged and that the stream did not have later. */
  readonly lostMessages: number;
  /** How long ago the last of them were missed; undefined where none were. */
  readonly lostSecondsAgo: number | undefined;
  /** What it does for so long that an operator wonders, or what it waits for; undefined while it writes. */
  readonly standing: string | undefined;
  /** Why nothing is written now; undefined while it is. */
  readonly problem: string | undefined;
}
