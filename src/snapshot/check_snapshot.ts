import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleaningUp } from '../system/first_cause.ts';
import { onDisk } from '../system/system_error.ts';
import { loadIntoFolder } from './load_into_folder.ts';
import { openSnapshot } from './read_snapshot.ts';
import type { SnapshotHeader } from './snapshot_schema.ts';

/** The size of a table in a snapshot; bytes of its columns, unpacked. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Lists the contents of a snapshot: it checks the sums, not the meaning. Fault `damaged_data` when it isn't what was
 * written.
 */
export function inspectSnapshot(path: string): {
  readonly header: SnapshotHeader;
  readonly tables: readonly TableSize[];
} {
  const { header, chunks } = openSnapshot(path);
  const sizes = new Map<string, TableSize>();
  for (const { seal, columns } of chunks) {
    const { table, rows } = seal;
    const before = sizes.get(table) ?? { table, rows: 0, bytes: 0 };
    const bytes = columns.reduce((sum, { lengths, cells }) => sum + lengths.length + cells.length, before.bytes);
    sizes.set(table, { table, rows: before.rows + rows, bytes });
  }
  return { header, tables: [...sizes.values()] };
}

/** Checks all that loading checks, by loading it into a folder that is removed again. */
export async function checkSnapshot(path: string): Promise<SnapshotHeader> {
  const { header, chunks } = openSnapshot(path);
  chunks.return(undefined);
  const folder = onDisk('cannot make a temporary folder', () => mkdtempSync(join(tmpdir(), 'pharos-snapshot-')));
  return await cleaningUp(
    async () => {
      await loadIntoFolder(path, join(folder, 'chain'), { isOwn: true });
      return header;
    },
    async () => rmSync(folder, { recursive: true, force: true }),
  );
}
