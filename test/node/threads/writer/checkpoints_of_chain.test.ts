import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../../src/base/assert.ts';
import { requireCheckpoints } from '../../../../src/node/threads/writer/checkpoints_of_chain.ts';
import { openChain, produce, testParameters } from '../../../builders/chain.ts';

test('a checkpoint that contradicts an irreversible block of the folder is refused at the start, one that fits or is not reached is not', () => {
  const chain = openChain(testParameters());
  for (let number = 0; number < 60; number++) produce(chain);
  const final = chain.head.lastIrreversible;
  assert(final > 1);
  const other = `${final.toString(16).padStart(8, '0')}${'ee'.repeat(16)}`;
  requireCheckpoints(chain, [
    [final, present(chain.block(final), 'a block').id],
    [1_000_000, `000f4240${'ee'.repeat(16)}`],
  ]);
  assert.throws(() => requireCheckpoints(chain, [[final, other]]), {
    code: 'configuration',
    message: /is irreversible, and the checkpoint says/,
  });
});
