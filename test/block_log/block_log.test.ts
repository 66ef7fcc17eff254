import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { BlockLog } from '../../src/block_log/block_log.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-block-log-'));
const file = join(folder, 'log');

after(() => rmSync(folder, { recursive: true, force: true }));

/** Each block, then where it starts. */
function makeLog(blocks: readonly Uint8Array[]): Buffer {
  let start = 0n;
  const parts = blocks.flatMap((block) => {
    const position = Buffer.alloc(8);
    position.writeBigUInt64LE(start);
    start += BigInt(block.length + 8);
    return [block, position];
  });
  return Buffer.concat(parts);
}

function open(bytes: Uint8Array): BlockLog {
  writeFileSync(file, bytes);
  return new BlockLog(file);
}

test('all blocks of a log are found, whatever their sizes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 40 }), (blocks) => {
      const log = open(makeLog(blocks));
      assert.equal(log.length, blocks.length);
      blocks.forEach((block, index) => assert.deepEqual(Uint8Array.from(log.packed(index + 1)), block));
      log.close();
    }),
    { numRuns: 100 },
  );
});

test('a log of more than one window of bytes is walked through', () => {
  const blocks = Array.from({ length: 9 }, (_, index) => Buffer.alloc(1_000_000 + index, index));
  const log = open(makeLog(blocks));
  assert.equal(log.length, 9);
  assert(blocks.every((block, index) => block.equals(log.packed(index + 1))));
  log.close();
});

test('a log whose positions do not lead back to the beginning is damaged', () => {
  const good = makeLog([Buffer.from('first'), Buffer.from('second')]);
  const damaged = (bytes: Uint8Array): void => assert.throws(() => open(bytes), { code: 'damaged_data' });
  damaged(good.subarray(0, good.length - 1));
  damaged(good.subarray(1));
  damaged(Buffer.from('short'));
  const ahead = Buffer.from(good);
  ahead.writeBigUInt64LE(BigInt(good.length), good.length - 8);
  damaged(ahead);
  const far = Buffer.from(good);
  far.writeBigUInt64LE(2n ** 64n - 1n, good.length - 8);
  damaged(far);
});

test('a log that is not there is a mistake of the configuration', () => {
  assert.throws(() => new BlockLog(join(folder, 'none')), { code: 'configuration' });
});

test('a folder in place of a log is named as one', () => {
  assert.throws(() => new BlockLog(folder), { code: 'configuration', message: /^the block log .* is a folder; / });
});
