import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tarOf } from '../../scripts/setup/tar.js';

const BLOCK = 512;

/** A header and a body, as far as readers look at them. */
function entry(path: string, body: string, { kind = '0', prefix = '' } = {}): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write(`${body.length.toString(8).padStart(11, '0')} `, 124);
  header.write(kind, 156);
  header.write(prefix, 345);
  return Buffer.concat([header, Buffer.from(body), Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]);
}

const END = Buffer.alloc(2 * BLOCK);
const folder = entry('include', '', { kind: '5' });
const kept = entry('include/kept.h', 'a'.repeat(700));
const whole = entry('include/whole.h', 'b'.repeat(BLOCK));
const other = entry('lib/other.a', 'c');
const longName = entry('pax', 'path=include/long.h', { kind: 'x' });
const long = entry('long.h', 'd', { prefix: 'include' });

test('what is wanted of an archive stays byte for byte, with what stands before it for it', () => {
  const archive = Buffer.concat([folder, other, kept, longName, long, whole, longName, other, END]);
  const wanted = tarOf(archive, (path) => path.startsWith('include'));
  assert.deepEqual(wanted, Buffer.concat([folder, kept, longName, long, whole, END]));
});

test('of an archive in which nothing is wanted its end is left', () => {
  assert.deepEqual(
    tarOf(Buffer.concat([other, END]), () => false),
    END,
  );
});
