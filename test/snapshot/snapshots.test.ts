import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { Fault } from '../../src/base/fault.ts';
import type { ChainUpdate } from '../../src/feed/chain_feed.ts';
import { snapshotName, Snapshots } from '../../src/snapshot/snapshots.ts';
import type { SnapshotDescription } from '../../src/rpc/services.ts';
import { silentLog } from '../builders/silent_log.ts';
import type { SnapshotSettings } from '../../src/settings/snapshot_settings.ts';

/** Snapshots that are written when the test says so. */
class Writing {
  readonly folder = mkdtempSync(join(tmpdir(), 'pharos-written-'));
  readonly snapshots: Snapshots;
  begun = 0;
  #irreversible = 0;
  #end:
    | { readonly resolve: (file: SnapshotDescription) => void; readonly reject: (error: unknown) => void }
    | undefined;

  constructor(t: TestContext, settings: Partial<SnapshotSettings>, there: readonly number[] = []) {
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
    for (const block of there) writeFileSync(join(this.folder, snapshotName(block)), '');
    const start = (): ReturnType<ConstructorParameters<typeof Snapshots>[0]['start'] & object> => {
      this.begun++;
      const done = new Promise<SnapshotDescription>((resolve, reject) => (this.#end = { resolve, reject }));
      return { done, stop: () => this.fails() };
    };
    const whole = { folder: this.folder, everyBlocks: undefined, kept: undefined, ...settings };
    this.snapshots = new Snapshots({ settings: whole, start, log: silentLog });
  }

  moves(irreversible: number): number {
    this.#irreversible = irreversible;
    const head = { number: irreversible + 9, id: '', time: 0, irreversible };
    const update: ChainUpdate = { kind: 'update', undone: [], applied: [], head };
    this.snapshots.takeUpdate(update);
    return this.begun;
  }

  async ends(): Promise<string[]> {
    const [path, block_number] = [join(this.folder, snapshotName(this.#irreversible)), this.#irreversible];
    writeFileSync(path, '');
    this.#end?.resolve({ path, block_number, block_id: '', state_hash: '', rows: 0, bytes: 0, sha256: '' });
    await new Promise((resolve) => setImmediate(resolve));
    return readdirSync(this.folder).toSorted();
  }

  get files(): string[] {
    return readdirSync(this.folder).toSorted();
  }

  fails(): void {
    this.#end?.reject(new Fault('disk', 'the disk is full'));
  }
}

test('one is written each time so many blocks more are irreversible, and the newest are kept', async (t) => {
  const writing = new Writing(t, { everyBlocks: 100, kept: 2 });
  assert.equal(writing.moves(150), 0);
  assert.equal(writing.moves(199), 0);
  assert.equal(writing.moves(201), 1);
  // While it is written no other one is begun.
  assert.equal(writing.moves(320), 1);
  writing.moves(201);
  assert.deepEqual(await writing.ends(), ['snapshot-201.avro']);
  assert.equal(writing.moves(320), 2);
  await writing.ends();
  assert.equal(writing.moves(399), 2);
  assert.equal(writing.moves(400), 3);
  assert.deepEqual(await writing.ends(), ['snapshot-320.avro', 'snapshot-400.avro']);
});

test('a node that starts anew goes on where its newest snapshot was', async (t) => {
  const writing = new Writing(t, { everyBlocks: 100 }, [90, 130]);
  assert.equal(writing.moves(199), 0);
  assert.equal(writing.moves(350), 1);
  await writing.ends();
  const late = new Writing(t, { everyBlocks: 100 }, [130]);
  assert.equal(late.moves(1000), 1);
});

test('one that can not be written stops nothing, and the next one is tried', async (t) => {
  const writing = new Writing(t, { everyBlocks: 100 }, [100]);
  assert.equal(writing.moves(200), 1);
  writing.fails();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(writing.moves(250), 1);
  assert.equal(writing.moves(300), 2);
});

test('on command one is written at a time, and none where the chain has no genesis', async (t) => {
  const writing = new Writing(t, {});
  assert.equal(writing.moves(1000), 0);
  const first = writing.snapshots.create();
  await assert.rejects(writing.snapshots.create(), { code: 'snapshot_under_way' });
  await writing.ends();
  assert.equal((await first).block_number, 1000);
  const settings = { folder: writing.folder, everyBlocks: undefined, kept: undefined };
  const none = new Snapshots({ settings, start: undefined, log: silentLog });
  await assert.rejects(none.create(), { code: 'snapshot_without_genesis' });
  assert.throws(
    () => new Snapshots({ settings: { ...settings, everyBlocks: 5 }, start: undefined, log: silentLog }),
    /no genesis file/,
  );
});

test('what was asked for is removed when the next one is asked for, unless it was due as well', async (t) => {
  const writing = new Writing(t, { everyBlocks: 100 }, [90]);
  const ordered = async (irreversible: number): Promise<string[]> => {
    writing.moves(irreversible);
    const file = writing.snapshots.create();
    const files = await writing.ends();
    await file;
    return files;
  };
  await ordered(95);
  await ordered(97);
  assert.deepEqual(writing.files, ['snapshot-90.avro', 'snapshot-97.avro']);
  writing.moves(100);
  await writing.ends();
  await ordered(100);
  await ordered(101);
  assert.deepEqual(writing.files, ['snapshot-100.avro', 'snapshot-101.avro', 'snapshot-90.avro']);
});

test('a node that stops waits for the one that is written, which ends', async (t) => {
  const writing = new Writing(t, { everyBlocks: 100 });
  writing.moves(1);
  writing.moves(100);
  await writing.snapshots.stop();
  assert.equal(writing.moves(300), 1);
});
