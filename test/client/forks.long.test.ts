import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  connect,
  type BlockListener,
  type FollowedBlock,
  type FollowedTransfer,
  type TransferListener,
} from '../../src/client/index.ts';
import { at, listMember, textMember } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import { RPC, SevenNodes } from '../outside/seven_nodes.ts';
import { Shop } from '../outside/shop.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';

const site = new Site();

after(() => site.clear());

/** One witness of five, alone with the node for users. */
const SMALLER = [4, RPC];

/** Books of a listener to a chain. */
class Books implements TransferListener, BlockListener {
  payments: FollowedTransfer[] = [];
  blocks: FollowedBlock[] = [];
  readonly waiting: string[] = [];
  readonly undoneMemos: string[] = [];
  readonly failures: unknown[] = [];

  pending({ memo }: { readonly memo: string }): void {
    this.waiting.push(memo);
  }

  transfer(transfer: FollowedTransfer): void {
    this.payments.push(transfer);
  }

  block(block: FollowedBlock): void {
    this.blocks.push(block);
  }

  undone({ number }: { readonly number: number }): void {
    this.undoneMemos.push(...this.payments.filter(({ block }) => block > number).map(({ memo }) => memo));
    this.payments = this.payments.filter(({ block }) => block <= number);
    this.blocks = this.blocks.filter((block) => block.number <= number);
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }

  get memos(): string[] {
    return this.payments.map(({ memo }) => memo);
  }
}

/** The memos of what bob was paid, as his history at a node has them. */
async function paid(program: Program): Promise<string[]> {
  const found = await program.result('account_history_api.get_account_history', {
    account: 'bob',
    start: -1,
    limit: 1000,
  });
  const transfers = listMember(found, 'history').filter(
    (entry) => at(entry, '1.op.0') === 'transfer' && at(entry, '1.op.1.to') === 'bob',
  );
  return transfers.map((entry) => textMember(entry, '1.op.1.memo'));
}

test('who follows a node that is parted from the others is told what it has to undo, and counts each payment once', async (t) => {
  const net = await SevenNodes.start(site, { delayMs: 10, bytesPerMs: 5000, lossPercent: 0 });
  const [rpc, right] = [net.nodeProgram(RPC), net.nodeProgram(0)];
  const head = await net.together(0);
  const client = await connect(`ws://127.0.0.1:${rpc.port}`);
  const [books, blocks] = [new Books(), new Books()];
  await client.followTransfers('bob', { level: 'pending', startBlock: 1 }, books);
  await client.followBlocks({ startBlock: 1 }, blocks);
  const shops = (['head', 'irreversible'] as const).map(
    (level) => new Shop(`ws://127.0.0.1:${rpc.port}`, 'bob', level),
  );
  t.after(() => {
    client.close();
    for (const shop of shops) shop.crash();
  });

  // What a peer has sent waits here, too, unless its block comes sooner.
  let tried = 0;
  await waitUntil('a payment of a peer that waits for its block', async () => {
    await net.pay(0, `from a peer ${++tried}`);
    return books.waiting.some((memo) => memo.startsWith('from a peer')) ? true : undefined;
  });

  const together = await net.together(head);
  net.part(SMALLER);
  await Promise.all([net.pay(RPC, 'in the smaller part'), net.pay(0, 'in the larger part')]);
  await waitUntil('the block of the smaller part', () =>
    books.memos.includes('in the smaller part') ? true : undefined,
  );
  assert.ok(!books.memos.includes('in the larger part'));
  // By turns the smaller part may be ahead at first, and then it would be the larger one that has to undo.
  await waitUntil('the larger part to be ahead', async () => {
    const [here, there] = await Promise.all([rpc.health(), right.health()]);
    return there.number > here.number + 1 ? true : undefined;
  });
  net.heal(SMALLER);
  await waitUntil('word of what is undone', () =>
    books.undoneMemos.includes('in the smaller part') ? true : undefined,
  );
  await net.together(together);
  const last = await net.pay(0, 'last');

  const expected = await paid(right);
  for (const memo of ['in the smaller part', 'in the larger part', 'last'])
    assert.equal(expected.filter((each) => each === memo).length, 1);
  await waitUntil('the last payment', () => (books.memos.at(-1) === 'last' ? true : undefined));
  assert.deepEqual(books.memos, expected);
  for (const shop of shops) {
    const memos = (): string[] => shop.books.payments.map(({ memo }) => memo);
    await waitUntil('the last payment in a shop', () => (memos().at(-1) === 'last' ? true : undefined));
    assert.deepEqual(memos(), expected);
    assert.equal(shop.failure, undefined);
  }
  for (const { number, id } of blocks.blocks.filter((block) => block.number <= last.block))
    assert.equal(textMember(await right.result('block_api.get_block', { block_num: number }), 'block_id'), id);
  assert.deepEqual(
    blocks.blocks.map(({ number }) => number),
    blocks.blocks.map((_, k) => k + 1),
  );
  assert.ok(blocks.blocks.length >= last.block);
  assert.deepEqual([...books.failures, ...blocks.failures], []);
  await net.stop();
});
