import { renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { SnapshotDescription } from '../../rpc/services.ts';
import { pinStore } from '../../storage/rocksdb.ts';
import { readParameters } from '../../settings/chain_settings.ts';
import { syncFolder } from '../../system/whole_file.ts';
import { fileSum } from '../../snapshot/file_sum.ts';
import { snapshotName } from '../../snapshot/snapshots.ts';
import { writeSnapshot } from '../../snapshot/write_snapshot.ts';
import { onDisk } from '../../system/system_error.ts';
import { nameSourceLines } from '../../system/source_lines.ts';
import { threadSettings } from '../../system/thread_settings.ts';
import { snapshotThread } from './node_threads.ts';
import type { SnapshotThreadSettings } from './messages.ts';
import type { FromSnapshotThread } from './start_snapshot.ts';
import { threadFailure } from '../../system/thread_failure.ts';
import { starterPort } from '../../system/thread_port.ts';

nameSourceLines();

/** The number of its block is known when it is begun. */
const UNNAMED = 'snapshot.avro';

const front = starterPort<never, FromSnapshotThread>();

write(threadSettings(snapshotThread)).then(
  (file) => front.post({ kind: 'written', file }),
  (error: unknown) => front.post(threadFailure(error)),
);

/** The state is held on to at once; blocks that are not final are taken back in memory. */
async function write({ storeHandle, chain, folder, stopped }: SnapshotThreadSettings): Promise<SnapshotDescription> {
  const flag = new Int32Array(stopped);
  const beforeChunk = (): void => {
    if (Atomics.load(flag, 0) !== 0) throw new Fault('runtime', 'the node stops');
  };
  const store = pinStore(storeHandle);
  try {
    const origin = {
      store,
      parameters: readParameters(chain),
      genesis: chain.genesisText ?? '',
      withBlocks: false,
      beforeChunk,
    };
    const unnamed = join(folder, UNNAMED);
    const { header, rows, bytes } = await writeSnapshot(unnamed, origin);
    const { block_number, block_id, state_hash } = header;
    const path = resolve(folder, snapshotName(block_number));
    const sha256 = await fileSum(unnamed);
    onDisk(`cannot write ${path}`, () => {
      renameSync(unnamed, path);
      syncFolder(folder);
    });
    return { path, block_number, block_id, state_hash, rows, bytes, sha256 };
  } finally {
    store.close();
  }
}
