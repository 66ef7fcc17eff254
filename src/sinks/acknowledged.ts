import type { Mark } from './sink.ts';

/** The end of a stream, as its server has acknowledged it. */
export interface Acknowledged {
  /** When the stream was made: another one of that name has another time. */
  readonly created: string;
  readonly sequence: number;
  readonly mark: Mark | undefined;
}

/** Keeps the end of a stream for the next start of the node. */
export interface KeptAcknowledged {
  read(): Acknowledged | undefined;
  /** Never fails: a stream is written without it, too. */
  write(acknowledged: Acknowledged): void;
}
