import type { CommittedRows } from '../storage/rows.ts';

/** The committed state as seen by a method: read-only. `View` of storage/ is one. */
export interface CommittedState extends CommittedRows {
  /** Grows with every commit: results found at one version can be repeated at the same version. */
  version(): number;
  /** Everything that `read` reads is from one block; it may be run again. */
  consistentRead<T>(read: () => T): T;
}
