import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { readOutcomes, sentVerdicts, type TransactionVerdict } from '../../../src/node/network/sent_verdicts.ts';
import { packIds } from '../../../src/p2p/transactions/id_table.ts';

const id = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const verdict: fc.Arbitrary<TransactionVerdict> = fc.record(
  { outcome: fc.constantFrom('accepted', 'known', 'refused', 'forged'), isHintRight: fc.boolean(), id },
  { noNullPrototype: true },
);

test('verdicts arrive as they were given, and what is accepted under another id than was claimed is forged', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(verdict, fc.boolean())), (all) => {
      const claimed = all.map(([one, isHonest]) => ({
        id: isHonest ? one.id : one.id.replace(/./, (digit) => (digit === '0' ? '1' : '0')),
      }));
      const outcomes = readOutcomes(sentVerdicts(all.map(([one]) => one)), packIds(claimed));
      assert.deepEqual(
        outcomes,
        all.map(([{ outcome, isHintRight }, isHonest]) => ({
          outcome: outcome === 'accepted' && !isHonest ? 'forged' : outcome,
          isHintRight,
        })),
      );
    }),
  );
});
