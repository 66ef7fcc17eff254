import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import avsc from 'avsc';
import { Chain } from '../chain/chain.ts';
import { ROW_FORMAT } from '../state/head_record.ts';
import { sha256 } from '../crypto/hashes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import type { KeyValueStore } from '../storage/key_value.ts';
import { GrowingFile } from '../system/growing_file.ts';
import { syncFolder } from '../system/whole_file.ts';
import { onDisk } from '../system/system_error.ts';
import { SnapshotSum } from './snapshot_digests.ts';
import {
  packedHeader,
  SNAPSHOT_FORMAT,
  snapshotSchema,
  type SnapshotHeader,
  type SnapshotRecord,
} from './snapshot_schema.ts';
import { snapshotChunks } from './snapshot_rows.ts';

/** The source of a snapshot. */
export interface SnapshotOrigin {
  /** Of this process alone: blocks that are not final are taken back in it. */
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  /** The exact text of the genesis. */
  readonly genesis: string;
  /** True when the file has all blocks of the store, false for the last one only. */
  readonly withBlocks: boolean;
  /** True to take the head although it is not final: for a chain whose blocks nobody else has. */
  readonly ofHead?: boolean | undefined;
  /** Called before each MiB of rows; what it throws ends the writing. */
  readonly beforeChunk?: (() => void) | undefined;
}

/** The written snapshot. */
export interface WrittenSnapshot {
  readonly header: SnapshotHeader;
  readonly rows: number;
  readonly bytes: number;
}

const SYNC_BYTES = 16;
/** Packed together; larger ones pack no better. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Writes the last irreversible state into a file, which is complete when it has that name. The same state gives the
 * same bytes.
 */
export async function writeSnapshot(path: string, origin: SnapshotOrigin): Promise<WrittenSnapshot> {
  const header = makeHeader(origin);
  const sum = new SnapshotSum(header);
  const file = new GrowingFile(path);
  // A marker by chance would make two files of one state differ.
  const syncMarker = Buffer.from(sha256(packedHeader(header)).subarray(0, SYNC_BYTES));
  const encoder = new avsc.streams.BlockEncoder(snapshotSchema, {
    codec: 'deflate',
    syncMarker,
    blockSize: BLOCK_BYTES,
  });
  // The streams before it are said to have been aborted.
  let first: unknown;
  try {
    await pipeline(
      Readable.from(makeRecords(origin, header, sum)),
      encoder,
      async (packed: AsyncIterable<Uint8Array>) => {
        try {
          for await (const bytes of packed) file.write(bytes);
        } catch (error) {
          first = error;
          throw error;
        }
      },
    );
    file.sync();
    onDisk(`cannot write ${path}`, () => {
      file.rename();
      syncFolder(dirname(path));
    });
  } catch (error) {
    file.remove();
    throw first ?? error;
  }
  return { header, rows: sum.end.rows, bytes: file.bytes };
}

function makeHeader({ store, parameters, genesis, withBlocks, ofHead = false }: SnapshotOrigin): SnapshotHeader {
  const chain = new Chain({ store, parameters, durable: false });
  if (!ofHead) chain.revert(chain.lowestRevert);
  const { number, id, stateHash } = chain.head;
  return {
    ...{ format: SNAPSHOT_FORMAT, chain_id: parameters.chainId, profile: parameters.profile.name, genesis },
    ...{ block_number: number, block_id: id, oldest_block: withBlocks ? oldestBlock(chain.committed) : number },
    ...{ state_hash: stateHash, disk_format: ROW_FORMAT },
  };
}

function* makeRecords(
  { store, parameters, beforeChunk }: SnapshotOrigin,
  header: SnapshotHeader,
  sum: SnapshotSum,
): Generator<SnapshotRecord> {
  yield { Header: header };
  const { block_number: head, oldest_block: oldest } = header;
  for (const { seal, columns } of snapshotChunks(store, { head, oldest, parameters })) {
    beforeChunk?.();
    for (const column of columns) yield { Column: column };
    sum.add(seal);
    yield { Chunk: seal };
  }
  yield { End: sum.end };
}
