import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../src/base/assert.ts';
import { fetchHead } from '../../src/load_test/chain_facts.ts';
import { growth, scrape, type Figures } from '../../src/load_test/scrape.ts';
import { freePort } from '../../test/outside/free_port.ts';
import { Relay } from '../../test/outside/relay.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { BATCH, signedBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';

/** 100 Mbit/s, as far as another town. */
const WAY = { delayMs: 20, bytesPerMs: 12_500 };
/** No block but the ordered one. */
const INTERVAL_MS = 60_000;
const LOOK_EACH_MS = 5;
const PATIENCE_MS = 60_000;

/**
 * A block between two processes, all of whose transfers have come in bundles before: from its order until the other has
 * it as its head.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const transfers = quick ? 200 : 10_000;
  const port = await freePort();
  const maker = await DevNode.start({
    largeBlocks: !quick,
    blockIntervalMs: INTERVAL_MS,
    settings: ['--p2p-endpoint', `127.0.0.1:${port}`],
  });
  const relay = await Relay.open('127.0.0.1', () => port, WAY);
  const follower = await DevNode.start({ settings: ['--join', `127.0.0.1:${relay.port}`] });
  try {
    // A vote for large blocks comes with the first block that nobody has ordered, in up to a minute.
    if (quick) await maker.passFirstRound();
    await until('one head', async () => (await fetchHead(follower.client)).id === (await fetchHead(maker.client)).id);
    const before = await scrape(follower.metricsUrl);
    for (const { body } of await signedBodies(maker, transfers)) await maker.client.post(body, BATCH);
    await until(
      'all to have come in bundles',
      async () => accepted(before, await scrape(follower.metricsUrl)) >= transfers,
    );
    const { number } = await fetchHead(maker.client);
    const startMs = performance.now();
    await maker.client.call('debug_api.produce_blocks', { count: 1 });
    const sealedMs = performance.now() - startMs;
    await until('the block', async () => (await fetchHead(follower.client)).number > number);
    const tookMs = performance.now() - startMs;
    const again = growth(before, await scrape(follower.metricsUrl), 'pharos_proofs_total{of="block_transaction"');
    const note = `two processes, ${WAY.delayMs} ms each way; ${sealedMs.toFixed(0)} ms of it until its maker says that it is there; ${again} proved again`;
    return [
      amountRow(
        `block of ${transfers} over 100 Mbit/s`,
        'from its order to the head of another node',
        { value: tookMs, unit: 'ms' },
        { note },
      ),
    ];
  } finally {
    await follower.stop();
    await maker.stop();
    relay.close();
  }
}

function accepted(before: Figures, now: Figures): number {
  return growth(before, now, 'pharos_proofs_total{of="broadcast"');
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); !(await isSo()); await sleep(LOOK_EACH_MS))
    assert(performance.now() - startedMs < PATIENCE_MS, `in time: ${what}`);
}
