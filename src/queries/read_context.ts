import type { Notation } from '../codec/notation.ts';
import type { CommittedRows } from '../storage/rows.ts';

/** The state to read, and how the caller wants values read and written. */
export interface ReadContext {
  readonly rows: CommittedRows;
  readonly notation: Notation;
}
