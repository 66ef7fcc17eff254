import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  connect,
  type BalanceListener,
  type BlockListener,
  type Client,
  type FollowedBalance,
  type FollowedBlock,
  type FollowedOperation,
  type FollowedTransfer,
  type TransferListener,
} from '../../src/client/index.ts';
import { quietPort, startChain, temporaryFolder, type Started } from '../wallet/programs.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { inLongForm } from '../builders/forms.ts';

const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
/** The chain's time runs ahead of ours. */
const LONG = 3000;
const folder = temporaryFolder();
const [port, otherPort] = [await quietPort(), await quietPort()];
const clients: Client[] = [];
let node: Started = await startChain(folder, port);
after(async () => {
  for (const client of clients) client.close();
  await node.stop();
});

async function connected(...ports: readonly number[]): Promise<Client> {
  const client = await connect(ports.map((each) => `ws://127.0.0.1:${each}`));
  clients.push(client);
  return client;
}

async function pay(client: Client, memo: string): Promise<void> {
  await client.send([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo }]], [ALICE], LONG);
}

/** Hears what an account is paid and has, and of blocks. */
class Listener implements TransferListener, BlockListener, BalanceListener {
  readonly heard: FollowedTransfer[] = [];
  readonly blocks: FollowedBlock[] = [];
  readonly balances: FollowedBalance[] = [];
  readonly failures: unknown[] = [];
  position = '';

  transfer(transfer: FollowedTransfer, position: string): void {
    this.heard.push(transfer);
    this.position = position;
  }

  block(block: FollowedBlock): void {
    this.blocks.push(block);
  }

  balance(balance: FollowedBalance): void {
    this.balances.push(balance);
  }

  undone({ number }: { readonly number: number }): void {
    while ((this.blocks.at(-1)?.number ?? 0) > number) this.blocks.pop();
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }

  get memos(): string[] {
    return this.heard.map(({ memo }) => memo);
  }

  async until(memo: string): Promise<void> {
    await waitUntil(`a transfer with ${memo}`, () => (this.heard.at(-1)?.memo === memo ? true : undefined));
  }
}

test(
  'transfers, blocks and balances are followed over a restart of the node, and from there by the next program',
  { timeout: 240_000 },
  async () => {
    const client = await connected(port);
    const [listener, later] = [new Listener(), new Listener()];
    const following = await client.followTransfers('bob', {}, listener);
    await client.followBlocks({}, listener);
    await client.followBalances('bob', {}, listener);
    await pay(client, 'first');
    await listener.until('first');
    const { position } = following;
    assert.equal(position, listener.position);
    // Whether the balance before the first payment is told depends on when its block comes.
    const balances = (): Set<unknown> => new Set(listener.balances.map(({ balance }) => balance));
    await waitUntil('a balance', () => (balances().size > 0 ? true : undefined));
    const before = balances().size;
    await node.stop();
    node = await startChain(folder, port);
    await pay(client, 'second');
    await listener.until('second');
    assert.deepEqual(listener.memos, ['first', 'second']);
    const [first] = listener.heard;
    assert.match(first?.amount ?? '', /^1\.000000 COIN$/);
    assert.match(first?.trx_id ?? '', /^[0-9a-f]{40}$/);
    await waitUntil('a balance behind the restart', () => (balances().size > before ? true : undefined));
    const numbers = listener.blocks.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, k) => (numbers[0] ?? 0) + k),
    );
    following.stop();

    const next = await connected(port);
    await next.followTransfers('bob', { resume: position }, later);
    await later.until('second');
    await pay(next, 'third');
    await later.until('third');
    assert.deepEqual(later.memos, ['second', 'third']);
    assert.deepEqual(listener.memos, ['first', 'second']);
    assert.deepEqual([...listener.failures, ...later.failures], []);
  },
);

test(
  'loops over operations, blocks and balances hear what listeners hear, and only final items unless they say otherwise',
  { timeout: 240_000 },
  async () => {
    using client = await connected(port);
    const { info } = await client.call('alexandria_api.info', {});
    const from = info.head_block_number;
    await pay(client, 'looped');
    const options = { account: 'bob', kinds: ['transfer'], from } as const;
    const memoText = ({ op }: FollowedOperation): unknown => (op[0] === 'transfer' ? op[1].memo : undefined);
    const undone = (): void => undefined;
    for await (const { operation, position } of client.operations({ ...options, level: 'head', undone })) {
      assert.ok(position.length > 0);
      if (memoText(operation) === 'looped') break;
    }
    for await (const { balance } of client.balances({ account: 'bob' })) {
      assert.match(balance.balance ?? '', /^\d+\.\d{6} COIN$/);
      break;
    }
    await client.call('debug_api.produce_blocks', { count: 50 });
    for await (const { operation } of client.operations(options)) if (memoText(operation) === 'looped') break;
    const numbers: number[] = [];
    for await (const { block } of client.blocks({ from: 1 })) if (numbers.push(block.number) === 5) break;
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
    await assert.rejects(client.blocks({ from: 'nonsense' }).next(), { code: 'bad_value' });
  },
);

test(
  'of several nodes the next one goes on where the first has left off',
  { ...inLongForm, timeout: 240_000 },
  async () => {
    await node.stop();
    node = await startChain(folder, port);
    const client = await connected(port, otherPort);
    const listener = new Listener();
    await client.followTransfers('bob', {}, listener);
    await pay(client, 'here');
    await listener.until('here');
    await node.stop();
    // The same chain at another address.
    node = await startChain(folder, otherPort);
    await waitUntil(
      'a node that answers',
      async () =>
        await pay(client, 'there').then(
          () => true,
          () => undefined,
        ),
    );
    await listener.until('there');
    assert.equal(listener.memos[0], 'here');
    assert.deepEqual(listener.failures, []);
  },
);

test(
  'a refused position is told once and for all, and a listener that throws ends its subscription alone',
  { timeout: 240_000 },
  async () => {
    const client = await connected(node.port);
    const [refused, broken, sound] = [new Listener(), new Listener(), new Listener()];
    await client.followBlocks({ resume: 'nonsense' }, refused);
    assert.equal(refused.failures.length, 1);
    const throwing = {
      block: () => assert.fail('a mistake'),
      undone: () => undefined,
      failed: (error: unknown) => broken.failed(error),
    };
    await client.followBlocks({}, throwing);
    await client.followBlocks({ level: 'irreversible', startBlock: 1 }, sound);
    // A block is irreversible when enough others are above it.
    await client.call('debug_api.produce_blocks', { count: 50 });
    await waitUntil('a mistake', () => (broken.failures.length > 0 ? true : undefined));
    await waitUntil('blocks', () => (sound.blocks.length > 0 ? true : undefined));
    assert.equal(broken.failures.length, 1);
    assert.equal(sound.blocks[0]?.number, 1);
  },
);

test(
  'at level pending a transfer is heard when it is sent, then with its block, or that it is dropped',
  { timeout: 240_000 },
  async () => {
    const client = await connected(node.port);
    const heard: string[] = [];
    const note =
      (word: string) =>
      ({ memo }: { readonly memo: string }): void =>
        void heard.push(`${word} ${memo}`);
    const following = await client.followTransfers(
      'bob',
      { level: 'pending' },
      {
        pending: note('pending'),
        transfer: note('paid'),
        dropped: (_transaction, { name }) => void heard.push(name),
        undone: () => void heard.push('undone'),
        failed: (error) => void heard.push(String(error)),
      },
    );
    await client.call('debug_api.set_mining', { mode: 'none' });
    const transfers = async (seconds: number, memo: string): Promise<unknown> =>
      await client.call('network_broadcast_api.broadcast_transaction', {
        max_block_age: 50_000,
        trx: await client.sign(
          await client.build([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo }]], seconds),
          [ALICE],
        ),
      });
    await transfers(LONG, 'kept');
    await transfers(30, 'short');
    await waitUntil('both as pending', () => (heard.length >= 2 ? true : undefined));
    assert.deepEqual(heard, ['pending kept', 'pending short']);
    await client.call('debug_api.jump_ahead', { seconds: 900 });
    await waitUntil('what becomes of both', () => (heard.length >= 4 ? true : undefined));
    assert.deepEqual(heard.slice(2).toSorted(), ['expires_too_soon', 'paid kept']);
    following.stop();
  },
);
