import type { Notation } from '../codec/notation.ts';
import type { CommittedRows } from '../storage/rows.ts';

/** The state that is asked, and how this asker wants values read and written. */
export interface ReadContext {
  readonly rows: CommittedRows;
  readonly notation: Notation;
}
