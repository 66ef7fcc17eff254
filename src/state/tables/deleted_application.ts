import type { ValueOf } from '../../codec/codec.ts';
import { u64Key } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

const row = struct({ app_id: u64 });

export type DeletedApplication = ValueOf<typeof row>;

/**
 * Deleted applications whose purchases have not all been removed yet: each block removes some. Ids are never reused.
 */
export const deletedApplications = table({
  name: 'deleted_application',
  value: row,
  key: { app_id: u64Key },
  indexes: {
    by_id: { parts: [u64Key], of: ({ app_id }: DeletedApplication) => [app_id] as const, writable: true, unique: true },
  },
});
