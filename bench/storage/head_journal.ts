import { present } from '../../src/base/assert.ts';
import { readTrustedBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';

/** The blocks that an import writes at once. */
const BLOCKS_A_GROUP = 256;
const MOST_PERCENT = 10;
const TRANSFERS = 100;

/** Measures the share of the head journal in a block's write: wall time, because the disk is most of it. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  return [
    await measureShares(
      'an empty block',
      'synced',
      { rounds: quick ? 20 : 600, durable: true },
      (dev) => () => dev.seal(),
    ),
    await measureShares(
      `a block of ${TRANSFERS} transfers`,
      'synced',
      { rounds: quick ? 4 : 100, durable: true },
      (dev, round) => {
        for (const transfer of dev.transfers(TRANSFERS, 1 + round * TRANSFERS)) dev.chain.accept(transfer);
        return () => dev.seal();
      },
    ),
    await replayShare(quick ? 2 : 80),
  ];
}

/** Makes something ready, for the write that is measured. */
type Work = (dev: DevChain, round: number) => () => unknown;

async function measureShares(
  what: string,
  note: string,
  { rounds, durable }: { rounds: number; durable: boolean },
  work: Work,
): Promise<Row> {
  const dev = await DevChain.open({ durable });
  const times = Array.from({ length: rounds }, (_, round) => {
    const write = work(dev, round);
    const [startMs, journalMs] = [performance.now(), dev.journalMs];
    write();
    return { wholeMs: performance.now() - startMs, journalMs: dev.journalMs - journalMs };
  });
  await dev.close();
  const [wholeMs, journalMs] = [median(times.map((time) => time.wholeMs)), median(times.map((time) => time.journalMs))];
  const detail = `${note}; median of ${rounds}: ${wholeMs.toFixed(3)} ms, of which the journal ${journalMs.toFixed(3)} ms`;
  const amount = { value: (journalMs / wholeMs) * 100, unit: '%' };
  return amountRow(`journal of heads, ${what}`, 'of the write', amount, {
    budget: { atMost: MOST_PERCENT },
    note: detail,
  });
}

/** Empty blocks, many in one write that nobody waits for: where a note weighs most. */
async function replayShare(groups: number): Promise<Row> {
  const source = await DevChain.open({ durable: false });
  for (let block = 0; block < groups * BLOCKS_A_GROUP; block++) source.seal();
  const makeBlock = (number: number): VerifiedBlock => {
    const { packed, id } = present(source.chain.block(number), 'a block');
    return readTrustedBlock(packed, id);
  };
  const row = await measureShares(
    'a group of a replay',
    `${BLOCKS_A_GROUP} empty blocks, not synced`,
    { rounds: groups, durable: false },
    (dev, round) => {
      const group = Array.from({ length: BLOCKS_A_GROUP }, (_, index) => makeBlock(round * BLOCKS_A_GROUP + index + 1));
      return () => dev.chain.replay(group, { signatures: true });
    },
  );
  await source.close();
  return row;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return present(sorted[Math.trunc(sorted.length / 2)], 'a value');
}
