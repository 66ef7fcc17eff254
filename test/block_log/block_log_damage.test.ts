import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../../src/base/fault.ts';
import { BlockLog } from '../../src/block_log/block_log.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-damaged-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const BLOCKS = 40;
/** Of the recorded network: the first blocks, and where each begins. */
const recorded = gunzipSync(readFileSync(new URL('../../../test/lineage/block_log.gz', import.meta.url)));
const starts = blockStarts(recorded).slice(0, BLOCKS + 1);
const sound = recorded.subarray(0, starts[BLOCKS]);
const lastStart = starts[BLOCKS - 1] ?? 0;

function blockStarts(bytes: Buffer): number[] {
  const found = [bytes.length];
  for (let end = bytes.length; end > 0; end = found.at(-1) ?? 0) found.push(Number(bytes.readBigUInt64LE(end - 8)));
  return found.toReversed();
}

function written(bytes: Uint8Array): string {
  const path = join(folder, 'log');
  writeFileSync(path, bytes);
  return path;
}

function changed(at: number): Buffer {
  const bytes = Buffer.from(sound);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

/** Changes to a log, and its last whole block afterwards. */
const damages: Readonly<Record<string, readonly [Buffer, number]>> = {
  'the last position lacks a byte': [sound.subarray(0, -1), BLOCKS - 1],
  'the last position is gone': [sound.subarray(0, -8), BLOCKS - 1],
  'the last block ends in its middle': [sound.subarray(0, Math.trunc((lastStart + sound.length) / 2)), BLOCKS - 1],
  'one byte of another block is there': [sound.subarray(0, lastStart + 1), BLOCKS - 1],
  'eight zeros stand behind it': [Buffer.concat([sound, Buffer.alloc(8)]), BLOCKS],
  'many zeros stand behind it': [Buffer.concat([sound, Buffer.alloc(1_000_000)]), BLOCKS],
  'other bytes stand behind it': [Buffer.concat([sound, Buffer.from('other bytes, of another file')]), BLOCKS],
  'its last block is there again': [Buffer.concat([sound, sound.subarray(lastStart)]), BLOCKS],
  'its end was overwritten by zeros': [Buffer.concat([sound.subarray(0, -20), Buffer.alloc(20)]), BLOCKS - 1],
  'a bit of the last position is wrong': [changed(sound.length - 8), BLOCKS - 1],
  'a bit of a position in the middle is wrong': [changed((starts[20] ?? 0) - 8), 19],
};

test('a damaged log names its file, its last whole block and how to take what is whole', () => {
  for (const [damage, [bytes, last]] of Object.entries(damages)) {
    const path = written(bytes);
    for (const stopAt of [undefined, last + 1])
      assert.throws(
        () => new BlockLog(path, { stopAt }),
        (error) => {
          assert.ok(error instanceof Fault && error.code === 'damaged_data', `${damage}: ${String(error)}`);
          assert.equal(
            error.message,
            `the block log ${path} is damaged: block ${last} is the last whole one and ends at byte ${starts[last]} of ${bytes.length}; take what is whole with --stop-at ${last}, or get another copy`,
            damage,
          );
          return true;
        },
      );
    const log = new BlockLog(path, { stopAt: last });
    assert.equal(log.length, last, damage);
    assert.deepEqual(log.packed(last), recorded.subarray(starts[last - 1], (starts[last] ?? 0) - 8), damage);
    log.close();
  }
});

test('a log without a whole block says so, a sound one is taken whatever is wanted of it', () => {
  for (const bytes of [sound.subarray(0, 30), Buffer.alloc(120), Buffer.alloc(5000), sound.subarray(1)])
    assert.throws(() => new BlockLog(written(bytes), { stopAt: undefined }), {
      code: 'damaged_data',
      message: /does not begin with a whole block/,
    });
  assert.throws(() => new BlockLog(written(Buffer.alloc(0)), { stopAt: undefined }), {
    code: 'damaged_data',
    message: /it is empty/,
  });
  for (const stopAt of [undefined, 7, 1000]) {
    const log = new BlockLog(written(sound), { stopAt });
    assert.equal(log.length, BLOCKS);
    log.close();
  }
});
