import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { BlockLog } from '../../src/block_log/block_log.ts';
import { BlockLogWriter } from '../../src/block_log/block_log_writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-log-writer-'));
const file = join(folder, 'log');

after(() => rmSync(folder, { recursive: true, force: true }));

function write(blocks: readonly Uint8Array[], path = file): void {
  const writer = new BlockLogWriter(path);
  for (const block of blocks) writer.append(block);
  writer.finish();
}

test('what is written is read, forwards by the index and backwards without it', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 40 }), (blocks) => {
      write(blocks);
      const log = new BlockLog(file);
      assert.equal(log.length, blocks.length);
      blocks.forEach((block, index) => assert.deepEqual(Uint8Array.from(log.packed(index + 1)), block));
      log.close();
      const [bytes, index] = [readFileSync(file), readFileSync(`${file}.index`)];
      assert.equal(index.length, 8 * blocks.length);
      blocks.forEach((block, at) => {
        const start = Number(index.readBigUInt64LE(8 * at));
        assert.deepEqual(Uint8Array.from(bytes.subarray(start, start + block.length)), block);
        assert.equal(Number(bytes.readBigUInt64LE(start + block.length)), start);
      });
      assert.deepEqual(readdirSync(folder).toSorted(), ['log', 'log.index']);
    }),
    { numRuns: 50 },
  );
});

test('a log of many megabytes is written as it is', () => {
  const blocks = Array.from({ length: 7 }, (_, index) => Buffer.alloc(700_000 + index, index));
  write(blocks);
  const log = new BlockLog(file);
  assert(blocks.every((block, index) => block.equals(log.packed(index + 1))));
  log.close();
});

test('until the new log is whole the old one stays, and what was begun leaves nothing', () => {
  write([Buffer.from('old')]);
  const [bytes, index] = [readFileSync(file), readFileSync(`${file}.index`)];
  const writer = new BlockLogWriter(file);
  writer.append(Buffer.alloc(3_000_000));
  assert.deepEqual([readFileSync(file), readFileSync(`${file}.index`)], [bytes, index]);
  writer.discard();
  assert.deepEqual(readdirSync(folder).toSorted(), ['log', 'log.index']);
  assert.deepEqual(readFileSync(file), bytes);
});

test('a place where nothing can be written is a fault of the disk', () => {
  assert.throws(() => new BlockLogWriter(join(folder, 'no folder', 'log')), { code: 'disk' });
  const taken = join(folder, 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'file'), '');
  const writer = new BlockLogWriter(taken);
  assert.throws(() => writer.finish(), { code: 'disk' });
  writer.discard();
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('tmp')),
    [],
  );
});
