import { assert, present } from '../../src/base/assert.ts';
import { readTrustedBlock } from '../../src/blocks/block.ts';
import { against, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain, LARGEST_BLOCK_BYTES } from '../dev_chain.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';

/** Empty blocks in one write: what an import does. */
const EMPTY_BLOCKS_A_WRITE = 256;
/** Empty blocks in a piece, of which the cheapest counts. */
const EMPTY_PIECE = 4096;

/** Blocks that are produced in a piece, of which the cheapest counts. */
const PRODUCED_PIECE = 256;
/** Of empty blocks, with votes and without, as long as a recovery takes as long as on the quiet machine. */
const EMPTY_A_CPU_SECOND = 100_000;

/** Stored blocks applied again to an empty chain, from their bytes to the disk; who signed is trusted. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const transfers = quick ? 500 : 10_000;
  const emptyBlocks = quick ? 200 : 8 * EMPTY_PIECE;
  const stored = await storedBlocks(quick ? 1 : 6, transfers, emptyBlocks);
  const dev = await DevChain.open({ durable: false });
  const voted = await DevChain.open({ durable: false, finality: true });
  for (const chain of [dev, voted]) replay(chain, stored.first, EMPTY_BLOCKS_A_WRITE);
  // Empty ones first: behind full ones the disk would still be at work on those.
  const pieces = splitPieces(stored.empty, quick ? emptyBlocks : EMPTY_PIECE);
  const empty = cheapestInTurns([dev, voted], pieces, (chain, blocks) => replay(chain, blocks, EMPTY_BLOCKS_A_WRITE));
  for (const chain of [dev, voted]) replay(chain, stored.firstFull, 1);
  const [full] = cheapestInTurns([dev], splitPieces(stored.full, 1), (chain, blocks) => replay(chain, blocks, 1));
  assert(dev.chain.head.stateHash === stored.stateHash, 'the replayed chain has the same state');
  for (const blocks of stored.full) replay(voted, [blocks], 1);
  assert(voted.chain.head.stateHash === stored.stateHash, 'votes change no state');
  const turns = Array.from({ length: quick ? 1 : 8 }, () => (quick ? 10 : PRODUCED_PIECE));
  const produced = cheapestInTurns([dev, voted], turns, produce);
  for (const chain of [dev, voted]) await chain.close();
  return [fullRow(present(full, 'full blocks'), transfers), ...emptyRows(empty), ...producedRows(produced)];
}

function fullRow(full: Measured, transfers: number): Row {
  return row(
    'replay of full blocks',
    'transfer, signatures trusted, parsed to written',
    { ...full, work: full.work * transfers },
    {
      budget: { perCpuSecond: 60_000 },
      note: `blocks of ${transfers} transfers, ${LARGEST_BLOCK_BYTES} bytes allowed, a write each`,
    },
  );
}

function emptyRows([plain, voted]: readonly Measured[]): Row[] {
  const recover = recoverMicros() ?? QUIET_RECOVER_MICROS;
  const budget = {
    perCpuSecond: (EMPTY_A_CPU_SECOND * QUIET_RECOVER_MICROS) / Math.max(recover, QUIET_RECOVER_MICROS),
  };
  const counted = 'block, signatures trusted, parsed to written';
  const note = `${EMPTY_BLOCKS_A_WRITE} a write; a recovery took ${recover.toFixed(1)} µs`;
  const without = row('replay of empty blocks', counted, present(plain, 'empty blocks'), { budget, note });
  const withVotes = row('replay of empty blocks with finality', counted, present(voted, 'empty blocks'), {
    budget,
    note,
  });
  return [without, against(withVotes, without)];
}

function producedRows([plain, voted]: readonly Measured[]): Row[] {
  const counted = 'block, signed, applied and written';
  const without = row('production of empty blocks', counted, present(plain, 'produced blocks'));
  return [
    without,
    against(row('production of empty blocks with finality', counted, present(voted, 'produced blocks')), without),
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
  const all = Array.from(
    { length: dev.chain.head.number },
    (_, index) => present(dev.chain.block(index + 1), 'a block').packed,
  );
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

function splitPieces(blocks: readonly Uint8Array[], piece: number): (readonly Uint8Array[])[] {
  return Array.from({ length: Math.trunc(blocks.length / piece) }, (_, index) =>
    blocks.slice(index * piece, (index + 1) * piece),
  );
}

/**
 * For each chain the cheapest of pieces that hold equally much: neighbours on the same cores can only make one dearer.
 */
function cheapestInTurns<Piece>(
  chains: readonly DevChain[],
  pieces: readonly Piece[],
  measure: (chain: DevChain, piece: Piece) => Measured,
): Measured[] {
  const turns = pieces.map((piece) => chains.map((chain) => measure(chain, piece)));
  return chains.map((_, index) =>
    turns
      .flatMap((turn) => turn[index] ?? [])
      .reduce((best, measured) => (measured.cpuMicros < best.cpuMicros ? measured : best)),
  );
}

function produce(dev: DevChain, count: number): Measured {
  const before = process.cpuUsage();
  for (let block = 0; block < count; block++) dev.seal();
  const { user, system } = process.cpuUsage(before);
  return { work: count, cpuMicros: user + system };
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
