import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockTimes } from '../../src/client/block_times.ts';
import { secondsText } from '../../src/client/chain_time.ts';
import type { Client } from '../../src/client/index.ts';

/** A node whose block n is of the n-th minute; it has none above 100. */
class HeaderNode {
  readonly asked: number[] = [];
  atOnce = 0;
  mostAtOnce = 0;
  late = 0;

  get client(): Client {
    const call = async (_: string, { block_num: number }: { readonly block_num: number }): Promise<object | null> => {
      this.asked.push(number);
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
      await Promise.resolve();
      this.atOnce--;
      return number > 100 ? null : { timestamp: minute(number, this.late) };
    };
    // Nothing but calls of one method is made of it.
    return Object.assign(Object.create(null), { call });
  }
}

function minute(number: number, seconds = 0): string {
  return secondsText(60 * number + seconds);
}

/** An operation in a transaction, as the history has it. */
function entry(block: number): { readonly block: number; readonly timestamp: string } {
  return { block, timestamp: minute(block - 1) };
}

test('operations get the time of their block, and each block is asked for once', async () => {
  const node = new HeaderNode();
  const times = new BlockTimes(() => 0);
  assert.deepEqual(await times.findAll(node.client, [entry(7), entry(7), entry(3)]), [minute(7), minute(7), minute(3)]);
  assert.equal(await times.find(node.client, entry(7)), minute(7));
  assert.deepEqual(node.asked, [7, 3]);
});

test('an operation of a block that the node does not have keeps the time that it came with', async () => {
  const node = new HeaderNode();
  assert.equal(await new BlockTimes(() => 0).find(node.client, entry(101)), minute(100));
});

test('after blocks were undone their successors are asked for', async () => {
  const node = new HeaderNode();
  let branch = 0;
  const times = new BlockTimes(() => branch);
  const asked = times.find(node.client, entry(7));
  branch++;
  node.late = 3;
  await asked;
  assert.equal(await times.find(node.client, entry(7)), minute(7, 3));
  branch++;
  node.late = 6;
  assert.equal(await times.find(node.client, entry(7)), minute(7, 6));
});

test('few blocks are asked for at once, whatever the length of a history', async () => {
  const node = new HeaderNode();
  const entries = Array.from({ length: 100 }, (_, k) => entry(k + 1));
  await new BlockTimes(() => 0).findAll(node.client, entries);
  assert.deepEqual([node.asked.length, node.mostAtOnce], [100, 25]);
});
