import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainHour } from '../../../src/node/http/chain_hour.ts';
import { openChain, produce, testParameters } from '../../builders/chain.ts';

const INTERVAL_SECONDS = 3;

interface Hour {
  readonly transactions: readonly number[];
  readonly bytes: readonly number[];
  readonly blocks: readonly number[];
}

function readHour(hour: ChainHour): Hour {
  const page = hour.page();
  assert.equal(page.status, 200);
  return JSON.parse(String(page.body));
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

test('blocks of the last hour are summed by minutes, and a visit reads a bounded number of them', () => {
  const chain = openChain(testParameters());
  const hour = new ChainHour(chain.committed);
  assert.equal(sum(readHour(hour).blocks), 0);
  for (let block = 0; block < 250; block++) produce(chain);
  assert.equal(sum(readHour(hour).blocks), 200, 'the first visit shows a part');
  const { blocks, bytes, transactions } = readHour(hour);
  assert.equal(sum(blocks), 250, 'the second shows all');
  assert.deepEqual([blocks.length, bytes.length, transactions.length], [60, 60, 60]);
  assert.equal(blocks.at(-1), 60 / INTERVAL_SECONDS);
  assert.ok((bytes.at(-1) ?? 0) > 60 * 20, 'a block has a hundred bytes');
  produce(chain);
  assert.equal(sum(readHour(hour).blocks), 251);
});
