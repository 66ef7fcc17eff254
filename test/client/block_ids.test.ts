import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOfBlock, referenceId, type ChainStanding, type PreviousOf } from '../../src/client/block_ids.ts';
import { blockReference } from '../../src/values/block_reference.ts';

const makeId = (number: number): string => number.toString(16).padStart(8, '0').padEnd(40, 'a');

function standing(head: number, final: number): ChainStanding {
  return { head, headId: makeId(head), final };
}

const askPrevious: PreviousOf = (number) => Promise.resolve(makeId(number - 1));
const nothing: PreviousOf = () => Promise.resolve(undefined);

test('the id of a block is what the next one names, that of the head is known, and others have none', async () => {
  const ids = await Promise.all([0, 1, 6, 7, 8].map((number) => idOfBlock(number, standing(7, 3), askPrevious)));
  assert.deepEqual(ids, [undefined, makeId(1), makeId(6), makeId(7), undefined]);
  assert.equal(await idOfBlock(3, standing(7, 3), nothing), undefined);
});

test('a transaction refers to the last irreversible block, and to the head where there is none or it is too far behind for 16 bits', async () => {
  const findNumber = async (head: number, final: number, ask = askPrevious): Promise<number> =>
    Number.parseInt((await referenceId(standing(head, final), ask)).slice(0, 8), 16);
  assert.equal(await findNumber(7, 3), 3);
  assert.equal(await findNumber(7, 7), 7);
  assert.equal(await findNumber(7, 0), 7);
  assert.equal(await findNumber(7, 3, nothing), 7);
  assert.equal(await findNumber(160_000, 100_000), 100_000);
  assert.equal(await findNumber(160_001, 100_000), 160_001);
  // Whatever it refers to, no other block of the last 65 535 has the same 16 bits, now and for an hour of blocks to
  // come.
  for (const [head, final] of [
    [160_000, 100_000],
    [400_000, 1],
  ] as const) {
    const reference = await referenceId(standing(head, final), askPrevious);
    const behind = head + 1200 - Number.parseInt(reference.slice(0, 8), 16);
    assert.ok(behind < 65_536);
    assert.equal(blockReference(reference).ref_block_num, (head + 1200 - behind) & 0xffff);
  }
});
