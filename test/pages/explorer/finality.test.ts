import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finalTime, readBlockCertificate, readFinality, standingText } from '../../../src/pages/explorer/finality.ts';

const told = {
  ...{ epoch: 3, voters: 7, quorum: 5, missing: 1, missing_names: ['alice'] },
  ...{ certificate_block_number: 90, certificate_votes: 6, stalled_since: '2026-11-27T05:00:00' },
};

test('the page reads what the node tells of votes, and takes anything else for a chain without them', () => {
  for (const json of [null, 'text', [], {}, { finality: told }, { confirmed_block_number: '7', finality: told }])
    assert.equal(readFinality(json), undefined);
  assert.deepEqual(readFinality({ confirmed_block_number: 60 }), { confirmed: 60, votes: undefined });
  assert.deepEqual(readFinality({ confirmed_block_number: 60, finality: { ...told, epoch: 'x' } })?.votes, undefined);
  assert.deepEqual(readFinality({ confirmed_block_number: 60, finality: told })?.votes, {
    ...{ epoch: 3, voters: 7, quorum: 5, missing: 1, missingNames: ['alice'] },
    ...{ certificate: { block: 90, votes: 6 }, stalledSince: '2026-11-27T05:00:00' },
  });
  const young = { ...told, missing_names: [], certificate_block_number: null, stalled_since: null };
  const votes = readFinality({ confirmed_block_number: 0, finality: young })?.votes;
  assert.deepEqual([votes?.certificate, votes?.stalledSince], [undefined, undefined]);
});

test('a block is irreversible, or may be replaced, or is confirmed while votes are missing', () => {
  assert.match(standingText(7, 7, 3), /^irreversible/);
  assert.match(standingText(8, 7, 3), /^reversible/);
  assert.match(standingText(8, 7, undefined), /^reversible/);
  assert.match(standingText(8, 7, 9), /^confirmed by witnesses .* not irreversible/);
});

test('the time at which a block became irreversible is that of the first step over it that the page has seen', () => {
  const seen = [
    { block: 10, time: '' },
    { block: 12, time: '2026-11-23T16:00:06' },
    { block: 15, time: '2026-11-23T16:00:09' },
  ];
  const times = [9, 10, 11, 12, 13, 15, 16].map((number) => finalTime(number, seen)?.slice(-2));
  assert.deepEqual(times, [undefined, undefined, '06', '06', '09', '09', undefined]);
});

test('the page reads by which certificate a block is final, and takes anything else for none', () => {
  const certificate = { block_num: 90, epoch: 3, votes: 6, voters: 7, quorum: 5, time: '2026-11-23T16:00:06' };
  const read = { block: 90, votes: 6, voters: 7, time: certificate.time };
  for (const [relation, madeFinal, isOfRound] of [
    ['made_final', true, true],
    ['same_round', false, true],
    ['later_round', false, false],
  ] as const)
    assert.deepEqual(readBlockCertificate({ certificate, relation }), { ...read, madeFinal, isOfRound });
  for (const json of [null, [], { certificate: null }, { certificate: { ...certificate, votes: 'x' } }])
    assert.equal(readBlockCertificate(json), undefined);
});
