import { assert } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch, type VerifiedBroadcast } from '../../src/blocks/verified_batch.ts';
import { encodeVerdicts, type Verdict } from '../../src/verifiers/verdicts.ts';
import { atMostMicros, row, type BenchOptions, type Row } from '../bench.ts';
import { DevChain, LARGEST_BLOCK_BYTES } from '../dev_chain.ts';

const IN_A_BLOCK = 10_000;
/** As many as verifiers hand over at once. */
const BATCH = 1024;
const SEAL_SECONDS = 0.15;
const SHARE_MICROS = 11;

/**
 * Measures the writer's work on transfers, step by step and in one thread: from the batches of verifiers to the disk.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const count = quick ? 500 : IN_A_BLOCK;
  const rounds = quick ? 1 : 8;
  const dev = await DevChain.open();
  dev.voteForLargeBlocks();
  // All of them before the first is measured: what signs and encodes in a node are other threads.
  const prepared = Array.from({ length: rounds + 2 }, (_, round) => makeBatches(dev, count, round * count + 1));
  const costs = prepared.map((batches) => costOfBlock(dev, batches, count));
  await dev.close();
  // The first two are for the compiler.
  const best = (step: keyof Cost): number => Math.min(...costs.slice(Math.min(2, rounds)).map((cost) => cost[step]));
  const note = `blocks of ${count} transfers, ${LARGEST_BLOCK_BYTES} bytes allowed, batches of ${BATCH}, 10 accounts, base fee paid`;
  return [
    row(
      'the writer’s share',
      'transfer, from a verifier’s batch to the synced block',
      { work: count, cpuMicros: best('whole') },
      { budget: atMostMicros(SHARE_MICROS), note },
    ),
    row(
      'state machine',
      'transfer read and applied, all checks but signature, undo on',
      { work: count, cpuMicros: best('accepting') },
      { budget: { perCpuSecond: 100_000 }, note },
    ),
    row(
      'seal and write a block',
      'known transfer, synced to disk',
      { work: count, cpuMicros: best('sealing') },
      { budget: { perCpuSecond: IN_A_BLOCK / SEAL_SECONDS }, note },
    ),
  ];
}

/** CPU-µs of a block. */
interface Cost {
  readonly accepting: number;
  readonly sealing: number;
  readonly whole: number;
}

function makeBatches(dev: DevChain, count: number, firstAmount: number): Uint8Array[] {
  const items = dev.transfers(count, firstAmount).map((verified, ticket): VerifiedBroadcast => ({ ticket, verified }));
  return Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) =>
    encodeVerifiedBatch(items.slice(batch * BATCH, (batch + 1) * BATCH)),
  );
}

function costOfBlock(dev: DevChain, batches: readonly Uint8Array[], count: number): Cost {
  const accepting = measureCpuMicros(() => {
    for (const batch of batches) takeBatch(dev, batch);
  });
  const blocks: VerifiedBlock[] = [];
  const sealing = measureCpuMicros(() => blocks.push(dev.seal()));
  assert(blocks[0]?.transactions.length === count, 'all transfers are in the block');
  return { accepting, sealing, whole: accepting + sealing };
}

/** As the writer takes a batch. */
function takeBatch(dev: DevChain, batch: Uint8Array): void {
  const items = decodeVerifiedBatch(batch);
  dev.chain.prefetch(items.map(({ verified }) => verified));
  const verdicts = items.map(({ ticket, verified }): Verdict => {
    const { expiration } = verified.transaction;
    dev.chain.accept(verified);
    return { ticket, id: verified.id, expiration, refusal: undefined };
  });
  encodeVerdicts(verdicts);
}

function measureCpuMicros(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
