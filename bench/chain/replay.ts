import { assert, present } from '../../src/base/assert.ts';
import { readTrustedBlock } from '../../src/blocks/block.ts';
import { row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain, LARGEST_BLOCK_BYTES } from '../dev_chain.ts';

/** Empty blocks in one write: what an import does. */
const EMPTY_BLOCKS_A_WRITE = 256;
/** Empty blocks in a piece, of which the cheapest counts. */
const EMPTY_PIECE = 4096;

/** Stored blocks applied again to an empty chain, from their bytes to the disk; who signed is trusted. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const transfers = quick ? 500 : 10_000;
  const emptyBlocks = quick ? 200 : 8 * EMPTY_PIECE;
  const stored = await storedBlocks(quick ? 1 : 6, transfers, emptyBlocks);
  const dev = await DevChain.open({ durable: false });
  replay(dev, stored.first, EMPTY_BLOCKS_A_WRITE);
  // Empty ones first: behind full ones the disk would still be at work on those.
  const empty = cheapest(stored.empty, quick ? emptyBlocks : EMPTY_PIECE, (blocks) => replay(dev, blocks, EMPTY_BLOCKS_A_WRITE));
  replay(dev, stored.firstFull, 1);
  const full = cheapest(stored.full, 1, (blocks) => replay(dev, blocks, 1));
  assert(dev.chain.head.stateHash === stored.stateHash, 'the replayed chain has the same state');
  await dev.close();
  const note = `blocks of ${transfers} transfers, ${LARGEST_BLOCK_BYTES} bytes allowed, a write each`;
  return [
    row(
      'replay of full blocks',
      'transfer, signatures trusted, parsed to written',
      { ...full, work: full.work * transfers },
      { budget: { perCpuSecond: 60_000 }, note },
    ),
    row('replay of empty blocks', 'block, signatures trusted, parsed to written', empty, {
      budget: { perCpuSecond: 50_000 },
      note: `${EMPTY_BLOCKS_A_WRITE} a write`,
    }),
  ];
}

/** Packed blocks, in the order of the chain. */
interface StoredBlocks {
  /** Until large blocks are in force, and as many empty ones as will be measured, for the compiler. */
  readonly first: readonly Uint8Array[];
  readonly empty: readonly Uint8Array[];
  /** For the compiler as well. */
  readonly firstFull: readonly Uint8Array[];
  readonly full: readonly Uint8Array[];
  readonly stateHash: string;
}

async function storedBlocks(fullBlocks: number, transfers: number, emptyBlocks: number): Promise<StoredBlocks> {
  const dev = await DevChain.open({ durable: false });
  dev.voteForLargeBlocks();
  for (let block = 0; block < emptyBlocks; block++) dev.seal();
  const first = dev.chain.head.number;
  for (let block = 0; block < emptyBlocks; block++) dev.seal();
  for (let block = 0; block <= fullBlocks; block++) fillBlock(dev, transfers, block);
  const all = Array.from({ length: dev.chain.head.number }, (_, index) => present(dev.chain.block(index + 1), 'a block').packed);
  const { stateHash } = dev.chain.head;
  await dev.close();
  const firstFull = first + emptyBlocks;
  return {
    first: all.slice(0, first),
    empty: all.slice(first, firstFull),
    firstFull: all.slice(firstFull, firstFull + 1),
    full: all.slice(firstFull + 1),
    stateHash,
  };
}

function fillBlock(dev: DevChain, transfers: number, block: number): void {
  for (const transaction of dev.transfers(transfers, block * transfers + 1)) dev.chain.accept(transaction);
  dev.seal();
}

/** The cheapest of pieces that hold equally much: neighbours on the same cores can only make one dearer. */
function cheapest(blocks: readonly Uint8Array[], piece: number, measure: (blocks: readonly Uint8Array[]) => Measured): Measured {
  let best: Measured = { work: 0, cpuMicros: Infinity };
  for (let from = 0; from + piece <= blocks.length; from += piece) {
    const measured = measure(blocks.slice(from, from + piece));
    if (measured.cpuMicros < best.cpuMicros) best = measured;
  }
  return best;
}

function replay(dev: DevChain, packed: readonly Uint8Array[], blocksAWrite: number): Measured {
  const before = process.cpuUsage();
  for (let from = 0; from < packed.length; from += blocksAWrite) {
    dev.chain.replay(
      packed.slice(from, from + blocksAWrite).map((bytes) => readTrustedBlock(bytes)),
      { signatures: true },
    );
  }
  const { user, system } = process.cpuUsage(before);
  return { work: packed.length, cpuMicros: user + system };
}
