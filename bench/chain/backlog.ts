import { assert } from '../../src/base/assert.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';

const TRANSFERS = 40_000;
const BATCH = 1000;
const BLOCKS = 8;
/** Nothing is accepted meanwhile, so it is felt by everybody. */
const SLOT_MS = 100;

/**
 * Measures a slot while far more transactions wait than fit into a block: its price must not depend on their number.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const dev = await DevChain.open();
  dev.passFirstRound();
  let waiting = 0;
  for (let first = 1; first <= (quick ? 3 * BATCH : TRANSFERS); first += BATCH) {
    const items = dev.transfers(BATCH, first).map((verified, ticket) => ({ ticket, verified }));
    for (const { verified } of decodeVerifiedBatch(encodeVerifiedBatch(items)))
      if (dev.chain.accept(verified) === 'waiting') waiting++;
  }
  const bytes = dev.chain.committed.only(dynamicGlobalProperties).maximum_block_size;
  const slots = Array.from({ length: quick ? 1 : BLOCKS }, () => costOfSlot(dev));
  assert(
    slots.every(({ transfers }) => transfers > 0),
    'all blocks are full',
  );
  await dev.close();
  const costs = slots.map(({ cpuMillis }) => cpuMillis).sort((a, b) => a - b);
  const note = `CPU time, median of ${slots.length} slots, the dearest took ${costs.at(-1)?.toFixed(0)}; ${slots[0]?.transfers} transfers in a block of at most ${bytes} bytes, ${waiting} waited before the first`;
  return [
    amountRow(
      'a slot with a backlog',
      'block sealed and synced, the next one filled',
      { value: costs[costs.length >> 1] ?? 0, unit: 'ms' },
      { budget: { atMost: SLOT_MS }, note },
    ),
  ];
}

function costOfSlot(dev: DevChain): { readonly transfers: number; readonly cpuMillis: number } {
  const before = process.cpuUsage();
  const transfers = dev.seal().transactions.length;
  const { user, system } = process.cpuUsage(before);
  return { transfers, cpuMillis: (user + system) / 1000 };
}
