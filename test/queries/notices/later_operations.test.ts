import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BlockOperations } from '../../../src/queries/history_entry.ts';
import { laterOperations, pointerPlace } from '../../../src/queries/notices/later_operations.ts';
import { WHOLE_BLOCK } from '../../../src/queries/notices/position.ts';
import type { OperationPointer } from '../../../src/state/tables/account_history.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';

const parameters = testParameters();

/** A chain whose head has so many transactions of a few operations each, with memos of this length. */
function makeChain(transactions: number, memoLength: number): ReturnType<typeof openChain> {
  const chain = openChain(parameters);
  for (let k = 0; k < transactions; k++) {
    const operations = Array.from({ length: 1 + (k % 3) }, (_, n) =>
      transferJson('alice', 'bob', 1, `${k}.${n}`.padEnd(memoLength, '.')),
    );
    chain.accept(makeTransaction(chain, parameters, operations, ['alice']));
  }
  produce(chain);
  return chain;
}

/** All places behind one, page after page, as somebody who follows is told of them. */
function walked(chain: ReturnType<typeof openChain>, from: OperationPointer | undefined): OperationPointer[] {
  const found: OperationPointer[] = [];
  let after = from;
  for (let pages = 0; pages < 1000; pages++) {
    const { entries, end } = laterOperations(chain.committed, chain.head.number, after);
    found.push(...entries.map(pointerPlace));
    if (end.trx_in_block === WHOLE_BLOCK.trx_in_block) return found;
    after = end;
  }
  return assert.fail('it comes to no end');
}

for (const [transactions, memoLength] of [
  [0, 0],
  [5, 10],
  [60, 1500],
  [23, 2000],
] as const) {
  test(`a block is followed to its end, in however many parts it is stored: ${transactions} transactions`, () => {
    const chain = makeChain(transactions, memoLength);
    const operations = new BlockOperations(chain.committed, chain.head.number);
    assert.equal(operations.parts.length > 1, transactions > 20);
    const all = operations.all(false).map(pointerPlace);
    assert.deepEqual(walked(chain, undefined), all);
    // Whoever resumes begins behind any of them.
    for (const [index, place] of all.entries()) assert.deepEqual(walked(chain, place), all.slice(index + 1));
  });
}
