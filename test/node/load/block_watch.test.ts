import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { systemClock } from '../../../src/base/clock.ts';
import { audit } from '../../../src/node/load/audit.ts';
import { BlockReader } from '../../../src/node/load/block_reader.ts';
import { BlockWatch } from '../../../src/node/load/block_watch.ts';
import { Acknowledged } from '../../../src/node/load/acknowledged.ts';
import { Inclusion } from '../../../src/node/load/inclusion.ts';
import { histogramMaker, type LatencyHistogram } from '../../../src/node/load/latency_histogram.ts';
import { waitFor } from '../../outside/wait_for.ts';
import { idOf, ToldChain } from './told_chain.ts';

let chain: ToldChain;
let reader: BlockReader;
let makeHistogram: () => LatencyHistogram;

before(async () => {
  chain = await ToldChain.start();
  reader = new BlockReader(chain.url);
  makeHistogram = await histogramMaker();
});

beforeEach(() => {
  chain.blocks = [{ branch: 0, ids: [] }];
  chain.irreversible = 0;
  chain.tooLarge.clear();
});

after(() => {
  reader.close();
  chain.close();
});

interface Watched {
  readonly watch: BlockWatch;
  readonly inclusion: Inclusion;
  readonly included: LatencyHistogram;
  readonly irreversible: LatencyHistogram;
}

/** Follows the chain with these transactions sent, as long as `work` takes. */
async function watching(sent: readonly string[], work: (watched: Watched) => Promise<void>): Promise<void> {
  const [included, irreversible] = [makeHistogram(), makeHistogram()];
  const inclusion = new Inclusion(included, irreversible);
  for (const id of sent) inclusion.sent(id, systemClock.elapsedMs());
  const watch = new BlockWatch(reader, systemClock, await reader.head(), { inclusion, intervals: makeHistogram(), moved: () => {} });
  watch.start();
  await work({ watch, inclusion, included, irreversible });
  await watch.stop();
}

const until = (what: string, isSo: () => boolean): Promise<true> => waitFor(what, () => isSo() || undefined);

test('transactions are found in the blocks in which they are, and are irreversible when these are', async () => {
  await watching([idOf(1), idOf(2), idOf(3)], async ({ watch, inclusion, included, irreversible }) => {
    chain.blocks.push({ branch: 0, ids: [idOf(1), idOf(9)] }, { branch: 0, ids: [idOf(2)] });
    await until('two in blocks', () => inclusion.included === 2);
    assert.equal(inclusion.waiting, 1);
    chain.irreversible = 2;
    chain.blocks.push({ branch: 0, ids: [] });
    await until('one irreversible', () => irreversible.count === 1);
    assert.deepEqual([included.count, inclusion.reversible], [2, 1]);
    const { first, last, transactions, mostTransactions, undone } = watch.blocks();
    assert.deepEqual([first, last, transactions, mostTransactions, undone], [2, 4, 3, 2, 0]);
  });
});

test('a branch that takes the place of blocks undoes them, and what was in them waits again', async () => {
  await watching([idOf(1), idOf(2)], async ({ watch, inclusion }) => {
    chain.blocks.push({ branch: 0, ids: [idOf(1)] }, { branch: 0, ids: [idOf(2)] });
    await until('both in blocks', () => inclusion.included === 2);
    chain.blocks = [
      { branch: 0, ids: [] },
      { branch: 1, ids: [] },
      { branch: 1, ids: [idOf(2)] },
      { branch: 1, ids: [] },
    ];
    await until('the other branch', () => watch.blocks().last === 4);
    assert.equal(watch.blocks().undone, 2);
    await until('one in a block again', () => inclusion.included === 1);
    assert.deepEqual(inclusion.someWaiting(5), [idOf(1)]);
  });
});

test('a chain that comes back shorter has undone its end', async () => {
  await watching([idOf(1)], async ({ watch, inclusion }) => {
    chain.blocks.push({ branch: 0, ids: [] }, { branch: 0, ids: [idOf(1)] });
    await until('it is in a block', () => inclusion.included === 1);
    chain.blocks.pop();
    await until('it waits again', () => inclusion.waiting === 1);
    assert.deepEqual([watch.blocks().undone, watch.blocks().last], [1, 2]);
  });
});

test('what is in a block that is too large to be sent is asked for by its id', async () => {
  const ids = Array.from({ length: 250 }, (_, number) => idOf(number));
  await watching(ids, async ({ inclusion }) => {
    chain.tooLarge.add(2);
    chain.blocks.push({ branch: 0, ids: ids.slice(0, 240) });
    await until('all in the block', () => inclusion.included === 240);
    assert.equal(inclusion.waiting, 10);
  });
});

/** The chain's blocks of this load, the last of them too large to be sent. */
function blocksOf(...lists: readonly (readonly string[])[]): void {
  chain.blocks = lists.map((ids) => ({ branch: 0, ids: [...ids] }));
  chain.tooLarge.add(lists.length);
}

const idsOf = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, index) => idOf(from + index));

test('an audit tells what is irreversible, reversible, still valid, there twice, and lost', async () => {
  const acknowledged = new Acknowledged();
  try {
    for (let number = 0; number < 3000; number++) {
      const expiration = chain.time + (number % 2 === 0 ? 60 : -60);
      acknowledged.add(idOf(number), { expiration, isInBlock: false, node: 0, second: 9 });
    }
    blocksOf(idsOf(0, 1000), [...idsOf(1000, 2000), idOf(5), idOf(77_777)], idsOf(2000, 2800), idsOf(2800, 2990));
    chain.irreversible = 2;
    const { examples, ...counts } = await audit(reader, acknowledged, 1, () => undefined);
    assert.deepEqual(counts, {
      acknowledged: 3000,
      irreversible: 1999,
      reversible: 990,
      stillValid: 5,
      forgotten: 0,
      twice: 1,
      lost: 5,
      unknown: 0,
    });
    assert.deepEqual(
      new Set(examples),
      new Set([`${idOf(5)} twice`, ...[2991, 2993, 2995, 2997, 2999].map((number) => `${idOf(number)} lost`)]),
    );
  } finally {
    acknowledged.remove();
  }
});

test('what a node had only accepted is forgotten when that node has ended since; what it had in a block is lost', async () => {
  const acknowledged = new Acknowledged();
  try {
    const said = { expiration: chain.time - 60, isInBlock: false, node: 63, second: 70_000 };
    acknowledged.add(idOf(1), said);
    acknowledged.add(idOf(2), { ...said, expiration: chain.time + 60 });
    acknowledged.add(idOf(3), { ...said, second: 70_001 });
    acknowledged.add(idOf(4), { ...said, node: 1 });
    acknowledged.add(idOf(5), { ...said, isInBlock: true });
    acknowledged.add(idOf(6), said);
    blocksOf([idOf(6)]);
    chain.irreversible = 0;
    const { examples, ...counts } = await audit(reader, acknowledged, 1, (node) => (node === 63 ? 70_000 : undefined));
    assert.deepEqual(counts, {
      acknowledged: 6,
      irreversible: 0,
      reversible: 1,
      stillValid: 0,
      forgotten: 2,
      twice: 0,
      lost: 3,
      unknown: 0,
    });
    assert.deepEqual(new Set(examples), new Set([1, 2, 3, 4, 5].map((number) => `${idOf(number)} ${number < 3 ? 'forgotten' : 'lost'}`)));
  } finally {
    acknowledged.remove();
  }
});
