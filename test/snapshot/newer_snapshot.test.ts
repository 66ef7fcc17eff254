import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { SnapshotLoading } from '../../src/snapshot/load_snapshot.ts';
import { snapshotChunks } from '../../src/snapshot/snapshot_rows.ts';
import type { SnapshotChunk } from '../../src/snapshot/snapshot_schema.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { GENESIS_TIME, openChain, produce, testParameters } from '../builders/chain.ts';
import { appliedHardforks, nextHardfork } from '../builders/planted_hardfork.ts';

const older: ChainParameters = { ...testParameters(), hardforks: appliedHardforks };
const newer: ChainParameters = { ...older, hardforks: [...appliedHardforks, nextHardfork(GENESIS_TIME - 60)] };

/** The chunks of a snapshot of a chain of two blocks. */
function newerChunks(parameters: ChainParameters): SnapshotChunk[] {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  produce(chain);
  produce(chain);
  return [...snapshotChunks(store, { head: 2, oldest: 1, parameters })];
}

/** The fault of an older program that loads these chunks. */
function loadingFault(chunks: readonly SnapshotChunk[]): Fault {
  const loading = new SnapshotLoading(new MemoryStore(), older);
  const header = {
    ...{ format: 0, chain_id: older.chainId, profile: 'default', genesis: '', block_number: 2, block_id: '' },
    ...{ oldest_block: 1, state_hash: '', disk_format: 0 },
  };
  try {
    for (const chunk of chunks) loading.add(chunk);
    loading.finish(header);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error;
  }
  return assert.fail('it has been loaded');
}

/** The changes that a newer release may have made to what a snapshot holds. */
const changes: readonly (readonly [string, (chunk: SnapshotChunk) => SnapshotChunk])[] = [
  ['a table more', ({ seal, columns }) => ({ seal: { ...seal, table: 'planted_notes' }, columns })],
  ['a member more', ({ seal, columns }) => ({ seal, columns: [...columns, ...columns.slice(-1)] })],
  ['other members', ({ seal, columns }) => ({ seal, columns: columns.map((one) => ({ ...one, member: 'planted' })) })],
];

for (const [what, change] of changes)
  test(`a snapshot of a newer release with ${what} is called one of a newer release, wherever that stands in it`, () => {
    const chunks = newerChunks(newer);
    const planted = change(chunks[0] ?? assert.fail('a chunk'));
    for (const all of [
      [planted, ...chunks.slice(1)],
      [...chunks, planted],
    ]) {
      const { code, message } = loadingFault(all);
      assert.equal(code, 'outdated', message);
      assert.match(
        message,
        /^this chain has applied hardfork 3 \(version 1\.3\.0\), and this program knows version 1\.2\.0: a newer release has made the snapshot; install a release/,
      );
    }
  });

test('a snapshot with such rows is damaged where the chain has applied no hardfork that this program does not know', () => {
  const chunks = newerChunks(older);
  for (const [what, change] of changes) {
    const planted = change(chunks[0] ?? assert.fail('a chunk'));
    const { code } = loadingFault([planted, ...chunks.slice(1)]);
    assert.equal(code, 'damaged_data', what);
  }
});
