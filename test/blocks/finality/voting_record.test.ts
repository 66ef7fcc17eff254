import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_VOTERS } from '../../../src/blocks/finality/vote.ts';
import { votersRecord } from '../../../src/blocks/finality/voters.ts';
import { votingRecord, type VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import { ByteReader, ByteWriter } from '../../../src/codec/bytes.ts';
import type { Codec } from '../../../src/codec/codec.ts';

function again<T>(codec: Codec<T>, value: T): T {
  const out = new ByteWriter();
  codec.write(out, value);
  const input = new ByteReader(out.finish());
  const read = codec.read(input);
  input.expectEnd();
  return read;
}

test('what a voter must remember comes back from its bytes, with and without votes', () => {
  const block = '00000007'.padEnd(40, 'a');
  const [voters, header, root] = ['01'.repeat(32), '02'.repeat(32), '03'.repeat(32)];
  const subject = {
    epoch: 2,
    voters,
    view: 600_000_000,
    kind: 'prepare' as const,
    block,
    header,
    root,
    next_voters: NO_VOTERS,
  };
  const lock = { subject, signatures: [0, 9].map((voter) => ({ voter, signature: 'ab'.repeat(65) })) };
  const fresh: VotingRecord = {
    begun: 599_999_000,
    signed_first_block: false,
    last_prepare: undefined,
    lock: undefined,
  };
  const records: VotingRecord[] = [
    fresh,
    { ...fresh, signed_first_block: true, last_prepare: { epoch: 2, view: 600_000_001, block } },
    { ...fresh, last_prepare: { epoch: 2, view: 600_000_000, block }, lock },
  ];
  for (const record of records) assert.deepEqual(again(votingRecord, record), record);
});

test('voters come back from their bytes', () => {
  const record = { epoch: 7, keys: ['02'.repeat(33), '03'.repeat(33)] };
  assert.deepEqual(again(votersRecord, record), record);
});
