import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseCheckpoints, parseFinalityCheckpoint } from '../../src/settings/writer_settings.ts';

const ID = `00000064${'aa'.repeat(16)}`;
const OTHER = `00000064${'bb'.repeat(16)}`;

test('checkpoints are numbers with ids, the same one said twice is one', () => {
  assert.deepEqual(parseCheckpoints(undefined), []);
  assert.deepEqual(parseCheckpoints([`[100, "${ID}"]`, `[100,"${ID}"]`]), [[100, ID]]);
});

test('checkpoints that contradict each other or themselves are refused, with both values', () => {
  const refused = (texts: readonly string[], message: RegExp): void =>
    assert.throws(() => parseCheckpoints(texts), { code: 'configuration', message });
  refused(
    [`[100, "${ID}"]`, `[100, "${OTHER}"]`],
    /block 100 is named twice, as 00000064aa.* and as 00000064bb.*leave out the one that is wrong/,
  );
  refused([`[101, "${ID}"]`], /the id 00000064aa.* is one of block 100, not of block 101/);
  refused(['[100]'], /checkpoint: \[block number, "block id"\] expected, got \[100\]/);
});

test('a checkpoint of finality is a number and an id of that number, alone or as clients take it', () => {
  const voters = 'cc'.repeat(32);
  const refused = (text: string, message: RegExp): void =>
    assert.throws(() => parseFinalityCheckpoint(text), { code: 'configuration', message });
  assert.equal(parseFinalityCheckpoint(undefined), undefined);
  assert.deepEqual(parseFinalityCheckpoint(`100:${ID}`), { number: 100, id: ID });
  assert.deepEqual(parseFinalityCheckpoint(`100:${ID}:${voters}:20261127T044000Z`), {
    ...{ number: 100, id: ID, voters },
    time: 1_795_754_400,
  });
  refused(`101:${ID}`, /is one of block 100, not of block 101/);
  refused(`101:${ID}:${voters}:20261127T044000Z`, /is one of block 100, not of block 101/);
  refused('100', /NUMBER:ID or NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME expected, got 100/);
  for (const rest of [`:${voters}`, `:${voters}:yesterday`, ':'])
    refused(`100:${ID}${rest}`, /what follows 100:\w+ is not :VOTERS_DIGEST:TIME/);
});
