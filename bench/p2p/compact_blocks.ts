import { assert, present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { encodeVerifiedBlocks } from '../../src/blocks/verified_blocks.ts';
import { ArrivingTransactions } from '../../src/p2p/transactions/arriving_transactions.ts';
import { BlockRebuild, rebuilt } from '../../src/p2p/blocks/block_rebuild.ts';
import { compactBlock } from '../../src/wire/messages/compact_block.ts';
import { TransactionPool } from '../../src/p2p/transactions/transaction_pool.ts';
import { openChain, produce, testParameters, transferJson } from '../../test/builders/chain.ts';
import { forgedBlock } from '../../test/builders/forged_block.ts';
import { unverifiedTransaction } from '../../test/builders/unsigned_traffic.ts';
import { atMostMicros, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { systemRandomSource } from '../../src/node/network/system_random_source.ts';

const POOL_BYTES = 64 * 1024 * 1024;
const BATCH = 1024;
const PAYERS = 64;
/** 50 ms for 10 000, to who passes it on. */
const MOST_MICROS = 5;

/** A block of transfers out of four times as many that wait, in the pool as the writer's feed fills it. */
export function run({ quick }: BenchOptions): Row[] {
  const [transfers, waiting] = quick ? [100, 300] : [10_000, 30_000];
  const chain = openChain(testParameters());
  produce(chain);
  const all = makeTransfers(chain, transfers + waiting);
  const pool = new TransactionPool(POOL_BYTES, systemRandomSource);
  const arriving = new ArrivingTransactions(systemClock, systemRandomSource);
  const batches = makeBatches(all);
  const filled = measured(all.length, 1, () => fill(pool, batches));
  const { header, signer } = forgedBlock(chain, { transactions: all.slice(0, transfers) });
  const named = all.slice(0, transfers).map(({ id }) => present(pool.get(id), 'a transaction'));
  const block = present(rebuilt(header, named), 'a block');
  const message = compactBlock.encode({ header, shortIds: block.shortIds });
  const times = quick ? 1 : 20;
  const rebuilds = measured(transfers, times, () => {
    const sent = compactBlock.decode(message);
    const found = new BlockRebuild(sent.header, sent.shortIds, { pool, arriving, isOffHead: false }, (below) =>
      systemRandomSource.roll(below),
    ).complete([]);
    assert(found?.packed.length === block.packed.length, 'all of it is found');
  });
  const handovers = measured(transfers, times, () => {
    const bytes = encodeVerifiedBlocks([{ ...block, transactions: named, signer }]);
    assert(bytes.length > block.packed.length, 'with all that is known');
  });
  const name = `block of ${transfers} as short ids`;
  const note = `${message.length} bytes instead of ${block.packed.length}, ${all.length} transactions wait; its root and its own short ids included`;
  return [
    row(name, 'transfer, received to passed on', rebuilds, { budget: atMostMicros(MOST_MICROS), note }),
    row(name, 'transfer, handed to the writer', handovers),
    row('pool of the network', 'transfer taken from the writer', filled),
  ];
}

function makeTransfers(chain: ReturnType<typeof openChain>, count: number): VerifiedTransaction[] {
  const expiration = chain.head.time + 300;
  return Array.from({ length: count }, (_, index) =>
    unverifiedTransaction(
      chain,
      [transferJson('alice', 'bob', 1 + index, 'a memo')],
      `payer ${index % PAYERS}`,
      expiration,
    ),
  );
}

function makeBatches(all: readonly VerifiedTransaction[]): Uint8Array[] {
  const batches: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += BATCH)
    batches.push(encodeVerifiedBatch(all.slice(at, at + BATCH).map((verified) => ({ ticket: 0, verified }))));
  return batches;
}

function fill(pool: TransactionPool, batches: readonly Uint8Array[]): void {
  for (const batch of batches) {
    for (const { verified } of decodeVerifiedBatch(batch)) assert(pool.add(verified, 0), 'there is room');
  }
}

function measured(pieces: number, times: number, carryOut: () => void): Measured {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) carryOut();
  const { user, system } = process.cpuUsage(before);
  return { work: pieces * times, cpuMicros: user + system };
}
