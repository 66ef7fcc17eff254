import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { Acknowledged, type Acknowledgement } from '../../src/load_test/acknowledged.ts';
import { audit, type Audit, type GoneAt } from '../../src/load_test/audit.ts';
import { Backlog } from '../../src/load_test/backlog.ts';
import { BlockReader, type WatchedHead } from '../../src/load_test/block_reader.ts';
import { readBlocks } from '../../src/load_test/chain_blocks.ts';
import { HeadWatch } from '../../src/load_test/head_watch.ts';
import { histogramMaker, type LatencyHistogram } from '../../src/load_test/latency_histogram.ts';
import { lookUp, type LookedUp } from '../../src/load_test/look_up.ts';
import { getBlockNumber } from '../../src/values/hash.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { blockId, ToldChain } from './told_chain.ts';

let chain: ToldChain;
let reader: BlockReader;
let makeHistogram: () => LatencyHistogram;
let acknowledged: Acknowledged;

before(async () => {
  chain = await ToldChain.start();
  reader = new BlockReader(chain.url);
  makeHistogram = await histogramMaker();
});

beforeEach(() => {
  chain.blocks = [{ branch: 0, ids: [] }];
  chain.irreversible = 0;
  chain.tooLarge.clear();
  chain.packed = undefined;
  chain.maximumBlockBytes = 262_144;
  acknowledged = new Acknowledged();
});

afterEach(() => acknowledged.remove());

after(() => {
  reader.close();
  chain.close();
});

/** Still valid, due when the watch began, and only accepted. */
const said: Acknowledgement = { expiration: 1_800_000_060, as: 'accepted', node: 0, second: 9, dueMs: 0 };

interface Watched {
  readonly watch: HeadWatch;
  readonly startedMs: number;
  readonly inclusion: LatencyHistogram;
  readonly irreversibility: LatencyHistogram;
  /** Ends the watch and looks everything up. */
  lookUp(finalPatienceMs?: number): Promise<LookedUp>;
}

/** Follows the chain, as long as `work` takes, for a load that began so long before. */
async function watching(work: (watched: Watched) => Promise<void>, beforeMs = 0): Promise<void> {
  const [inclusion, irreversibility] = [makeHistogram(), makeHistogram()];
  const startedMs = systemClock.elapsedMs() - beforeMs;
  const watch = new HeadWatch(reader, systemClock, await reader.head(), makeHistogram(), () => {});
  watch.start();
  const all = {
    reader,
    watch,
    acknowledged,
    goneAt: () => undefined,
    startedMs,
    inclusion,
    irreversibility,
    patienceMs: 0,
  };
  try {
    await work({
      watch,
      startedMs,
      inclusion,
      irreversibility,
      lookUp: (finalPatienceMs = 0) => lookUp({ ...all, finalPatienceMs }),
    });
  } finally {
    await watch.stop();
  }
}

const until = (what: string, isSo: () => boolean): Promise<true> => waitUntil(what, () => isSo() || undefined);

test('a block is as full as its packed form, and never fuller than it may be', async () => {
  // The text of the block has more bytes than this.
  chain.maximumBlockBytes = 100;
  await watching(async ({ watch, lookUp: look }) => {
    chain.blocks.push({ branch: 0, ids: [blockId(1)] });
    await until('the block', () => watch.head.number === 2);
    assert.equal((await look()).blocks.course.at(-1)?.fullness, 1);
    chain.packed = new Map([[2, 25]]);
    assert.equal((await look()).blocks.course.at(-1)?.fullness, 0.25);
  });
});

test('each block is as full as its own limit says, when witnesses change that meanwhile', async () => {
  chain.maximumBlockBytes = 1000;
  await watching(async ({ watch, lookUp: look }) => {
    const push = async (number: number): Promise<void> => {
      chain.blocks.push({ branch: 0, ids: [] });
      await until('the block', () => watch.head.number === number);
    };
    await push(2);
    chain.maximumBlockBytes = 100;
    await until('the limit', () => watch.head.maximumBlockBytes === 100);
    await push(3);
    chain.packed = new Map([
      [2, 500],
      [3, 50],
    ]);
    assert.deepEqual(
      (await look()).blocks.course.map(({ fullness }) => fullness),
      [0.5, 0.5],
    );
  });
});

test('blocks are seen as they come, and a transaction’s latencies are those of its block', async () => {
  for (const number of [1, 2, 3]) acknowledged.add(blockId(number), said);
  await watching(async ({ watch, inclusion, irreversibility, lookUp: looked }) => {
    chain.blocks.push({ branch: 0, ids: [blockId(1), blockId(9)] });
    await until('the first', () => watch.head.number === 2);
    const [earlyMs] = [systemClock.elapsedMs()];
    chain.blocks.push({ branch: 0, ids: [blockId(2)] });
    await until('the second', () => watch.head.number === 3);
    chain.irreversible = 2;
    chain.blocks.push({ branch: 0, ids: [] });
    await until('irreversible', () => watch.head.number === 4);
    const { audit: found, blocks } = await looked();
    assert.deepEqual([found.irreversible, found.reversible, found.stillValid], [1, 1, 1]);
    const { course, ...counted } = blocks;
    assert.deepEqual(counted, { transactions: 3, mostTransactions: 2, undone: 0 });
    assert.deepEqual(
      course.map(({ transactions }) => transactions),
      [2, 1, 0],
    );
    assert.deepEqual(watch.heads(), { first: 2, last: 4, missedSlots: 0, silences: 0 });
    assert.deepEqual([inclusion.count, irreversibility.count], [2, 1]);
    assert.ok(inclusion.percentile(0) < inclusion.percentile(1) && inclusion.percentile(0) < earlyMs);
    assert.ok(
      irreversibility.percentile(0) > inclusion.percentile(1),
      'irreversible only after the second block was seen',
    );
  });
});

test('a block that becomes final without a new head has its latency from that moment', async () => {
  acknowledged.add(blockId(1), said);
  await watching(async ({ watch, irreversibility, lookUp: looked }) => {
    chain.blocks.push({ branch: 0, ids: [blockId(1)] });
    await until('its block', () => watch.head.number === 2);
    assert.equal(watch.irreversibleMs(2), undefined);
    chain.irreversible = 2;
    await until('its finality', () => watch.irreversibleMs(2) !== undefined);
    assert.equal(watch.head.irreversible, 2);
    assert.equal((await looked()).audit.irreversible, 1);
    assert.equal(irreversibility.count, 1);
  });
});

/** Hears of heads later than of all else, as a watch on a busy machine does. */
class LateReader extends BlockReader {
  override async head(): Promise<WatchedHead> {
    const head = await super.head();
    await sleep(300);
    return head;
  }
}

test('a block that nobody has seen yet when all is looked up has its latency as well', async () => {
  acknowledged.add(blockId(1), said);
  const late = new LateReader(chain.url);
  const [inclusion, irreversibility] = [makeHistogram(), makeHistogram()];
  const watch = new HeadWatch(late, systemClock, await reader.head(), makeHistogram(), () => {});
  watch.start();
  try {
    chain.blocks.push({ branch: 0, ids: [blockId(1)] });
    const all = {
      reader,
      watch,
      acknowledged,
      goneAt: () => undefined,
      startedMs: 0,
      inclusion,
      irreversibility,
      patienceMs: 0,
      finalPatienceMs: 0,
    };
    assert.equal((await lookUp(all)).audit.reversible, 1);
    assert.equal(inclusion.count, 1);
  } finally {
    await watch.stop();
    late.close();
  }
});

test('a branch that takes the place of blocks undoes them, and what is in both counts from when the other was seen', async () => {
  for (const number of [1, 2]) acknowledged.add(blockId(number), said);
  await watching(async ({ watch, startedMs, inclusion, lookUp: looked }) => {
    chain.blocks.push({ branch: 0, ids: [blockId(1)] }, { branch: 0, ids: [blockId(2)] });
    await until('both', () => watch.head.number === 3);
    const undoneMs = systemClock.elapsedMs();
    chain.blocks = [
      { branch: 0, ids: [] },
      { branch: 1, ids: [] },
      { branch: 1, ids: [blockId(2)] },
      { branch: 1, ids: [] },
    ];
    await until('the other branch', () => watch.head.number === 4);
    const { audit: found, blocks } = await looked();
    assert.deepEqual([found.reversible, found.stillValid], [1, 1]);
    // Of the first branch only its head was seen with its id.
    assert.equal(blocks.undone, 1);
    assert.ok(inclusion.percentile(1) >= (undoneMs - startedMs) * 0.99);
  });
});

test('a chain that comes back shorter has undone its end', async () => {
  await watching(async ({ watch, lookUp: looked }) => {
    chain.blocks.push({ branch: 0, ids: [] }, { branch: 0, ids: [blockId(1)] });
    await until('the end', () => watch.head.number === 3);
    chain.blocks.pop();
    await until('shorter', () => watch.head.number === 2);
    assert.equal((await looked()).blocks.undone, 1);
    assert.equal(watch.heads().last, 2);
  });
});

test('what is sent refers to a block that no fork undoes, and to the head only where nothing is final', async () => {
  chain.blocks.push({ branch: 0, ids: [] }, { branch: 0, ids: [] });
  const young = await reader.head();
  assert.equal(young.referenceId, young.id);
  for (const irreversible of [2, 3]) {
    chain.irreversible = irreversible;
    const { number, referenceId } = await reader.head();
    assert.deepEqual([number, getBlockNumber(referenceId)], [3, irreversible]);
  }
});

/** Returns the fate of two that have expired behind this many blocks: one only accepted, one told to be in a block. */
async function makeExpired(
  blocks: number,
  maximumBlockBytes: number,
): Promise<readonly [expired: number, lost: number]> {
  chain.maximumBlockBytes = maximumBlockBytes;
  const late = { ...said, second: 0, expiration: chain.time - 3 };
  acknowledged.add(blockId(1), late);
  acknowledged.add(blockId(2), { ...late, as: 'block' });
  let found: Audit | undefined;
  await watching(async ({ watch, lookUp: looked }) => {
    for (let count = 0; count < blocks + 1; count++) chain.blocks.push({ branch: 0, ids: [] });
    await until('the last', () => watch.head.number === blocks + 2);
    ({ audit: found } = await looked());
  }, 1000);
  chain.maximumBlockBytes = 262_144;
  return found === undefined ? assert.fail('an audit') : [found.expired, found.lost];
}

test('what was accepted and expires is lost only where enough blocks had room for it', async () => {
  assert.deepEqual(await makeExpired(3, 262_144), [0, 2]);
});

test('what was accepted and expires behind few blocks is no broken promise', async () => {
  assert.deepEqual(await makeExpired(2, 262_144), [1, 1]);
});

test('what was accepted and expires behind full blocks is no broken promise', async () => {
  assert.deepEqual(await makeExpired(9, 8192), [1, 1]);
});

test('a node that cannot be asked leaves the fate of all unknown', async () => {
  acknowledged.add(blockId(1), said);
  const nobody = new BlockReader(new URL('http://127.0.0.1:1'));
  const watch = new HeadWatch(nobody, systemClock, await reader.head(), makeHistogram(), () => {});
  const all = {
    watch,
    acknowledged,
    goneAt: () => undefined,
    startedMs: 0,
    inclusion: makeHistogram(),
    irreversibility: makeHistogram(),
  };
  const { audit: found } = await lookUp({ ...all, reader: nobody, patienceMs: 10, finalPatienceMs: 10 });
  assert.deepEqual([found.unknown, found.acknowledged, found.lost], [1, 1, 0]);
  nobody.close();
});

test('a backlog is known about by some of many, and exactly by the last ones', async () => {
  const backlog = new Backlog(reader);
  const ids = Array.from({ length: 5000 }, (_, number) => blockId(number));
  for (const id of ids) backlog.add(id);
  assert.deepEqual([backlog.waiting, backlog.included], [5000, 0]);
  chain.blocks.push({ branch: 0, ids: ids.slice(0, 3000) });
  await backlog.look();
  assert.ok(backlog.included > 2000 && backlog.included <= 3000, `${backlog.included}`);
  assert.equal(await backlog.lookAtLast(), 100);
  chain.blocks.push({ branch: 0, ids: ids.slice(3000, 4990) });
  assert.equal(await backlog.lookAtLast(), 10);
  chain.blocks.push({ branch: 0, ids: ids.slice(4990) });
  assert.equal(await backlog.lookAtLast(), 0);
  assert.equal(backlog.waiting, 0);
});

/** Returns the audit of these blocks. */
async function audited(goneAt: GoneAt = () => undefined, hadRoom = true): Promise<Audit> {
  const blocks = await readBlocks(reader, 1, () => 262_144);
  try {
    return await audit({ reader, acknowledged, blocks, goneAt, hadRoom: () => hadRoom, found: () => {} });
  } finally {
    blocks.transactions.remove();
  }
}

/** The chain's blocks of this load, the last of them too large to be sent. */
function setBlocks(...lists: readonly (readonly string[])[]): void {
  chain.blocks = lists.map((ids) => ({ branch: 0, ids: [...ids] }));
  chain.tooLarge.add(lists.length);
}

const makeIds = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => blockId(from + index));

test('an audit tells what is irreversible, reversible, still valid, there twice, and lost', async () => {
  for (let number = 0; number < 3000; number++)
    acknowledged.add(blockId(number), { ...said, expiration: chain.time + (number % 2 === 0 ? 60 : -60) });
  setBlocks(
    makeIds(0, 1000),
    [...makeIds(1000, 2000), blockId(5), blockId(77_777)],
    makeIds(2000, 2800),
    makeIds(2800, 2990),
  );
  chain.irreversible = 2;
  const { examples, ...counts } = await audited();
  const none = { forgotten: 0, revoked: 0, expired: 0, unknown: 0 };
  assert.deepEqual(counts, {
    acknowledged: 3000,
    irreversible: 1999,
    reversible: 990,
    stillValid: 5,
    twice: 1,
    lost: 5,
    ...none,
  });
  assert.deepEqual(
    new Set(examples),
    new Set([`${blockId(5)} twice`, ...[2991, 2993, 2995, 2997, 2999].map((number) => `${blockId(number)} lost`)]),
  );
});

test('what a node had only accepted is forgotten when that node has ended since; what it had in a block is lost', async () => {
  const late = { ...said, expiration: chain.time - 60, node: 63, second: 70_000 };
  acknowledged.add(blockId(1), late);
  acknowledged.add(blockId(2), { ...late, expiration: chain.time + 60 });
  acknowledged.add(blockId(3), { ...late, second: 70_001 });
  acknowledged.add(blockId(4), { ...late, node: 1 });
  acknowledged.add(blockId(5), { ...late, as: 'block' });
  acknowledged.add(blockId(6), late);
  setBlocks([blockId(6)]);
  const { examples, ...counts } = await audited((node) => (node === 63 ? 70_000 : undefined));
  const none = { irreversible: 0, stillValid: 0, twice: 0, revoked: 0, expired: 0, unknown: 0 };
  assert.deepEqual(counts, { acknowledged: 6, reversible: 1, forgotten: 2, lost: 3, ...none });
  assert.deepEqual(
    new Set(examples),
    new Set([1, 2, 3, 4, 5].map((number) => `${blockId(number)} ${number < 3 ? 'forgotten' : 'lost'}`)),
  );
});

test('what a node has acknowledged as final is revoked where no irreversible block has it, however it got there', async () => {
  const final = { ...said, as: 'final' } as const;
  for (const number of [1, 2, 3]) acknowledged.add(blockId(number), final);
  acknowledged.add(blockId(4), { ...final, expiration: chain.time - 60 });
  acknowledged.add(blockId(5), { ...said, as: 'block' });
  setBlocks([blockId(1)], [blockId(2), blockId(5)], []);
  chain.irreversible = 1;
  // No end of a node excuses it.
  const { examples, ...counts } = await audited(() => 70_000);
  const none = { stillValid: 0, forgotten: 0, twice: 0, expired: 0, lost: 0, unknown: 0 };
  assert.deepEqual(counts, { acknowledged: 5, irreversible: 1, reversible: 1, revoked: 3, ...none });
  assert.deepEqual(new Set(examples), new Set([2, 3, 4].map((number) => `${blockId(number)} revoked`)));
});

test('nothing is revoked while the node that is asked may be behind the one that acknowledged it', async () => {
  acknowledged.add(blockId(1), { ...said, as: 'final' });
  chain.blocks.push({ branch: 0, ids: [blockId(1)] });
  await watching(async ({ watch, lookUp: looked }) => {
    await until('its block', () => watch.head.number === 2);
    assert.deepEqual((await looked()).audit.revoked, 1);
    const found = looked(60_000);
    await sleep(10);
    chain.irreversible = 2;
    const { irreversible, revoked } = (await found).audit;
    assert.deepEqual([irreversible, revoked], [1, 0]);
  });
});
