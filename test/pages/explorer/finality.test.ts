import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finalityIn, standingText } from '../../../src/pages/explorer/finality.ts';

const told = {
  ...{ epoch: 3, voters: 7, quorum: 5, missing: 1, missing_names: ['alice'] },
  ...{ certificate_block_number: 90, certificate_votes: 6, stalled_since: '2026-11-27T05:00:00' },
};

test('the page reads what the node tells of votes, and takes anything else for a chain without them', () => {
  for (const json of [null, 'text', [], {}, { finality: told }, { confirmed_block_number: '7', finality: told }])
    assert.equal(finalityIn(json), undefined);
  assert.deepEqual(finalityIn({ confirmed_block_number: 60 }), { confirmed: 60, votes: undefined });
  assert.deepEqual(finalityIn({ confirmed_block_number: 60, finality: { ...told, epoch: 'x' } })?.votes, undefined);
  assert.deepEqual(finalityIn({ confirmed_block_number: 60, finality: told })?.votes, {
    ...{ epoch: 3, voters: 7, quorum: 5, missing: 1, missingNames: ['alice'] },
    ...{ certificate: { block: 90, votes: 6 }, stalledSince: '2026-11-27T05:00:00' },
  });
  const young = { ...told, missing_names: [], certificate_block_number: null, stalled_since: null };
  const votes = finalityIn({ confirmed_block_number: 0, finality: young })?.votes;
  assert.deepEqual([votes?.certificate, votes?.stalledSince], [undefined, undefined]);
});

test('a block is irreversible, or may be replaced, or is confirmed while votes are missing', () => {
  assert.match(standingText(7, 7, 3), /^irreversible/);
  assert.match(standingText(8, 7, 3), /^reversible/);
  assert.match(standingText(8, 7, undefined), /^reversible/);
  assert.match(standingText(8, 7, 9), /^confirmed by witnesses .* not irreversible/);
});
