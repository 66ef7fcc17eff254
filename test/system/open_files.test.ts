import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountedFiles } from '../../src/system/open_files.ts';

/** A process that may open 100 files, of which 75 are for clients. */
class Sample {
  open: number;
  counts = 0;
  readonly files = new CountedFiles(100, () => {
    this.counts++;
    return this.open;
  });

  constructor(open: number) {
    this.open = open;
  }
}

test('clients that come at once, on any number of ports, never take more than there is', () => {
  for (const open of [0, 10, 60, 70, 74]) {
    const seen = new Sample(open);
    while (!seen.files.isLow(0)) seen.open++;
    assert.ok(seen.open <= 75, `${seen.open} open, ${open} before`);
    assert.ok(seen.open >= 74, `${seen.open} open, ${open} before`);
  }
});

test('files are counted when a fifth of what was free has come, or when the last count is old', () => {
  const seen = new Sample(25);
  seen.files.isLow(0);
  assert.equal(seen.counts, 1);
  for (let come = 1; come < 10; come++) seen.files.isLow(0);
  assert.equal(seen.counts, 1);
  seen.files.isLow(0);
  assert.equal(seen.counts, 2);
  seen.open = 75;
  assert.equal(seen.files.isLow(199), false);
  assert.equal(seen.files.isLow(200), true, 'others have taken the rest');
});

test('while there is no room each client is refused, and files are counted now and then', () => {
  const seen = new Sample(80);
  for (let come = 0; come < 1000; come++) assert.equal(seen.files.isLow(19), true);
  assert.equal(seen.counts, 1);
  seen.open = 10;
  assert.equal(seen.files.isLow(39), false);
});
