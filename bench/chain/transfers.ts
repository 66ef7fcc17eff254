import { assert } from '../../src/base/assert.ts';
import type { ProvedBlock } from '../../src/blocks/block.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { DevChain, LARGEST_BLOCK_BYTES } from '../dev_chain.ts';

const IN_A_BLOCK = 10_000;
/** As many as verifiers hand over at once. */
const BATCH = 1024;
const SEAL_SECONDS = 0.15;

/** Transfers in the state machine, on the disk and in one thread, as the writer applies and seals them. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const count = quick ? 500 : IN_A_BLOCK;
  const rounds = quick ? 1 : 5;
  const dev = await DevChain.open();
  dev.voteForLargeBlocks();
  const costs = Array.from({ length: rounds + 1 }, (_, round) => acceptAndSeal(dev, count, round * count));
  await dev.close();
  // The first is for the compiler.
  const accepting = Math.min(...costs.slice(1).map((cost) => cost.accepting));
  const sealing = Math.min(...costs.slice(1).map((cost) => cost.sealing));
  const note = `blocks of ${count} transfers, ${LARGEST_BLOCK_BYTES} bytes allowed, 10 accounts, base fee paid`;
  return [
    row(
      'state machine',
      'transfer applied, all checks but signature, undo on',
      { work: count, cpuMicros: accepting },
      { budget: { perCpuSecond: 100_000 }, note },
    ),
    row(
      'seal and write a block',
      'known transfer, synced to disk',
      { work: count, cpuMicros: sealing },
      { budget: { perCpuSecond: IN_A_BLOCK / SEAL_SECONDS }, note },
    ),
  ];
}

interface Cost {
  readonly accepting: number;
  readonly sealing: number;
}

function acceptAndSeal(dev: DevChain, count: number, firstAmount: number): Cost {
  const transfers = dev.transfers(count, firstAmount + 1);
  const accepting = cpuMicrosOf(() => {
    for (let from = 0; from < count; from += BATCH) {
      const batch = transfers.slice(from, from + BATCH);
      dev.chain.prefetch(batch);
      for (const transaction of batch) dev.chain.accept(transaction);
    }
  });
  const blocks: ProvedBlock[] = [];
  const sealing = cpuMicrosOf(() => blocks.push(dev.seal()));
  assert(blocks[0]?.transactions.length === count, 'all transfers are in the block');
  return { accepting, sealing };
}

function cpuMicrosOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
