import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Fault } from '../../src/base/fault.ts';
import { rangeRoot } from '../../src/blocks/finality/block_range.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { sealChunk } from '../../src/snapshot/snapshot_digests.ts';
import { SnapshotLoading } from '../../src/snapshot/load_snapshot.ts';
import { openSnapshot } from '../../src/snapshot/read_snapshot.ts';
import type { SnapshotChunk } from '../../src/snapshot/snapshot_schema.ts';
import { writeSnapshot } from '../../src/snapshot/write_snapshot.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { FINALITY } from '../../src/snapshot/finality_chunk.ts';
import { openChain, readTestParameters, testGenesis } from '../builders/chain.ts';
import { makeCertificate, finalise } from '../builders/certificates.ts';
import { copyStore as copyOfStore } from '../builders/copied_store.ts';
import { loadedState } from '../builders/loaded_state.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../builders/parted_witnesses.ts';

const ALL = [...HERE, ...THERE];
const folder = mkdtempSync(join(tmpdir(), 'pharos-finality-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const parameters = partedParameters({ finality: true });

/** A chain with some blocks of which the last ones are not final, and its snapshot. */
async function written(name: string, withBlocks: boolean, blocks = 7) {
  const store = new MemoryStore();
  const { here, there } = partedChains(parameters, store);
  for (const block of growSide(here, ALL, blocks)) there.push(copyBlock(parameters, block));
  finalise(here, parameters, here.head.number);
  const final = here.head.number;
  growSide(here, ALL, 3);
  const path = join(folder, name);
  await writeSnapshot(path, { store: copyOfStore(store), parameters, genesis: '', withBlocks });
  return { path, here, there, final };
}

for (const withBlocks of [true, false]) {
  test(`a chain that begins with a snapshot ${withBlocks ? 'with' : 'without'} blocks states the same of later blocks, and counts votes`, async () => {
    const { path, there, final } = await written(`whole-${withBlocks}`, withBlocks);
    const store = loadedState(path, parameters);
    const chain = openChain(parameters, store);
    assert.deepEqual([chain.head.number, chain.head.lastIrreversible, chain.settled], [final, 0, final]);
    assert.deepEqual(chain.voted.statedAt(final), there.voted.statedAt(final));
    for (const block of growSide(there, ALL, 9)) {
      chain.push(copyBlock(parameters, block));
      assert.deepEqual(chain.voted.statedAt(block.number), there.voted.statedAt(block.number));
    }
    const epoch = Math.trunc(final / 4);
    for (const each of [epoch, epoch + 1]) assert.deepEqual(chain.voted.votersOf(each), there.voted.votersOf(each));
    const certificate = makeCertificate(there, parameters, there.head.number);
    chain.finalise(certificate.subject.block, certificate);
    assert.equal(chain.head.lastIrreversible, there.head.number);
    assert.deepEqual(verifyStore(store, parameters, () => undefined).problems, []);
  });
}

test('of a chain that begins with a snapshot without blocks, people can name the block after which its epoch begins', async () => {
  const { path, here, final } = await written('named', false);
  const boundary = final - (final % 4);
  assert.ok(boundary < final);
  const chain = openChain(parameters, loadedState(path, parameters));
  assert.equal(chain.block(boundary), undefined);
  chain.finalise(present(here.block(boundary), 'a block').id);
  assert.equal(chain.head.lastIrreversible, boundary);
  const certificate = makeCertificate(here, parameters, final);
  chain.finalise(certificate.subject.block, certificate);
  assert.equal(chain.head.lastIrreversible, final);
});

test('two chains with one final block write the same bytes, whatever certificates they hold', async () => {
  const first = await written('first', true);
  const store = new MemoryStore();
  const other = openChain(parameters, store);
  for (let number = 1; number <= first.final; number++)
    other.push(copyBlock(parameters, present(first.here.block(number), 'a block')));
  const certificate = makeCertificate(other, parameters, first.final);
  other.finalise(certificate.subject.block, { ...certificate, signatures: certificate.signatures.slice(0, 3) });
  const path = join(folder, 'second');
  await writeSnapshot(path, { store: copyOfStore(store), parameters, genesis: '', withBlocks: true });
  assert.ok(readFileSync(path).equals(readFileSync(first.path)));
});

/** A chunk with another content, sealed as if it had been written so. */
function resealed(chunk: SnapshotChunk, change: (cells: Buffer) => Buffer): SnapshotChunk {
  const columns = chunk.columns.map((column) => ({ ...column, cells: change(Buffer.from(column.cells)) }));
  return { columns, seal: sealChunk(chunk.seal.table, chunk.seal.rows, columns) };
}

test('what a snapshot says of finality is refused where it is damaged, missing or of another state', async () => {
  const { path } = await written('damaged', true);
  const load = (change: (cells: Buffer) => Buffer | undefined): void => {
    const { header, chunks } = openSnapshot(path);
    const loading = new SnapshotLoading(new MemoryStore(), parameters);
    for (const chunk of chunks) {
      const changed =
        chunk.seal.table === FINALITY ? change(Buffer.from(present(chunk.columns[0], 'a column').cells)) : undefined;
      if (chunk.seal.table !== FINALITY) loading.add(chunk);
      else if (changed !== undefined) loading.add(resealed(chunk, () => changed));
    }
    loading.finish(header);
  };
  load((cells) => cells);
  const isDamaged = (error: unknown): boolean =>
    error instanceof Fault && error.code === 'damaged_data' && /finality/.test(error.message);
  assert.throws(() => load(() => undefined), {
    code: 'configuration',
    message: /says nothing of votes, .*pharos export there, pharos import here/,
  });
  assert.throws(() => load((cells) => cells.subarray(1)), isDamaged);
  assert.throws(() => load((cells) => Buffer.concat([cells, Buffer.of(0)])), isDamaged);
  assert.throws(() => load((cells) => (cells.writeUInt32LE(3, 0), cells)), isDamaged);
});

test('a snapshot of a chain without finality has no word of it', async () => {
  const plain = readTestParameters(testGenesis());
  const store = new MemoryStore();
  openChain(plain, store);
  const path = join(folder, 'plain');
  await writeSnapshot(path, { store, parameters: plain, genesis: '', withBlocks: true });
  const tables = [...openSnapshot(path).chunks].map(({ seal }) => seal.table);
  assert.ok(!tables.includes(FINALITY));
});

test('nodes of the range that pruned blocks have completed go, but for those that later blocks need', () => {
  const store = new MemoryStore();
  const { here, there } = partedChains(parameters);
  const pruned = openChain(parameters, store, new Map(), 5);
  for (let number = 1; number <= there.head.number; number++)
    pruned.push(copyBlock(parameters, present(there.block(number), 'a block')));
  for (let round = 0; round < 12; round++) {
    for (const block of growSide(here, ALL, 5)) {
      pruned.push(copyBlock(parameters, block));
      assert.deepEqual(pruned.voted.statedAt(block.number), here.voted.statedAt(block.number));
    }
    finalise(pruned, parameters, pruned.head.number - 1);
  }
  assert.equal(pruned.block(20), undefined);
  assert.equal(here.voted.statedAt(here.head.number).root.length, rangeRoot({ count: 0, peaks: [] }).length);
  assert.deepEqual(verifyStore(store, parameters, () => undefined).problems, []);
  const again = openChain(parameters, store, new Map(), 5);
  assert.deepEqual(again.voted.statedAt(again.head.number), here.voted.statedAt(here.head.number));
});

test('an imported chain that forgets old blocks states the same of later ones, however many blocks a write has', () => {
  const { here } = partedChains(parameters);
  growSide(here, ALL, 120);
  const blocks = Array.from({ length: here.head.number }, (_, at) =>
    copyBlock(parameters, present(here.block(at + 1), 'a block')),
  );
  for (const [kept, aWrite] of [
    [5, 1],
    [5, 7],
    [30, 50],
    [100, 64],
  ] as const) {
    const store = new MemoryStore();
    const imported = openChain(parameters, store, new Map(), kept);
    for (let from = 0; from < blocks.length; from += aWrite)
      imported.replay(blocks.slice(from, from + aWrite), { signatures: true });
    assert.equal(imported.block(1), undefined, 'its first block is forgotten');
    assert.deepEqual(verifyStore(store, parameters, () => undefined).problems, []);
    const { number } = here.head;
    for (const chain of [imported, openChain(parameters, store, new Map(), kept)])
      assert.deepEqual(chain.voted.statedAt(number), here.voted.statedAt(number), `${aWrite} blocks a write`);
  }
});
