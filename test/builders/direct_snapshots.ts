import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSum } from '../../src/snapshot/file_sum.ts';
import { snapshotName, Snapshots } from '../../src/snapshot/snapshots.ts';
import { writeSnapshot } from '../../src/snapshot/write_snapshot.ts';
import type { SnapshotDescription } from '../../src/rpc/services.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { copyStore } from './copied_store.ts';
import { silentLog } from './silent_log.ts';

const all = mkdtempSync(join(tmpdir(), 'pharos-direct-snapshots-'));
process.once('exit', () => rmSync(all, { recursive: true, force: true }));
let count = 0;

/** The snapshots of a chain in this thread's store; they are gone when the process ends. */
export function directSnapshots(
  store: KeyValueStore,
  parameters: ChainParameters,
  { lacksGenesis = false } = {},
): Snapshots {
  const folder = join(all, String(count++));
  const write = async (): Promise<SnapshotDescription> => {
    const path = join(folder, snapshotName(0));
    const { header, rows, bytes } = await writeSnapshot(path, {
      store: copyStore(store),
      parameters,
      genesis: '{}',
      withBlocks: false,
    });
    const { block_number, block_id, state_hash } = header;
    return { path, block_number, block_id, state_hash, rows, bytes, sha256: await fileSum(path) };
  };
  const settings = { folder, everyBlocks: undefined, kept: undefined };
  const start = lacksGenesis ? undefined : () => ({ done: write(), stop: () => undefined });
  return new Snapshots({ settings, log: silentLog, start });
}
