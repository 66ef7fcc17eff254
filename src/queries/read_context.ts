import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { CommittedRows } from '../storage/rows.ts';

/** The state to read, and how the caller wants values read and written. */
export interface ReadContext {
  readonly rows: CommittedRows;
  readonly encoding: EncodingOptions;
}
