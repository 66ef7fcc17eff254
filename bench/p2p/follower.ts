import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { fetchHead } from '../../src/load_test/chain_facts.ts';
import { growth, scrape, type Figures } from '../../src/load_test/scrape.ts';
import { atMostMicros, row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { freePort } from '../../test/outside/free_port.ts';
import { nextEvent } from '../next_event.ts';

const RATE = 2000;
const [WARM_MS, MEASURED_MS] = [15_000, 20_000];
/** A transfer that nobody posts here: received, proved, accepted, found again in its block, applied. */
const MOST_MICROS = 25;
const LOOK_EACH_MS = 100;
const PATIENCE_MS = 60_000;

/** Two nodes on this machine: transfers are posted at the one, and the other one follows. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const port = await freePort();
  const maker = await DevNode.start({ largeBlocks: true, settings: ['--p2p-endpoint', `127.0.0.1:${port}`] });
  const follower = await DevNode.start({ settings: ['--join', `127.0.0.1:${port}`] });
  await together(maker, follower);
  const client = fork(fileURLToPath(new URL('../paced_transfers.js', import.meta.url)), [maker.url, String(RATE)]);
  try {
    await nextEvent(client, 'message');
    await sleep(quick ? 1000 : WARM_MS);
    const before = [await sample(maker), await sample(follower)] as const;
    await sleep(quick ? 4000 : MEASURED_MS);
    const after = [await sample(maker), await sample(follower)] as const;
    await ended(client);
    await together(maker, follower);
    const work = proofs(before[1].figures, after[1].figures, 'broadcast');
    const again = proofs(before[1].figures, after[1].figures, 'block_transaction');
    const cpu = (index: 0 | 1): number => after[index].cpuMicros - before[index].cpuMicros;
    const posted = proofs(before[0].figures, after[0].figures, 'broadcast');
    const note = `${RATE} a second posted at the other, both end with one head; ${again} of ${work} proved again in blocks`;
    return [
      row(
        'follower on the same machine',
        'transfer from bundle to block',
        { work, cpuMicros: cpu(1) },
        { budget: atMostMicros(MOST_MICROS), note },
      ),
      row('whom it follows', 'transfer from HTTP to block and peer', { work: posted, cpuMicros: cpu(0) }),
    ];
  } finally {
    client.kill();
    await follower.stop();
    await maker.stop();
  }
}

interface Sample {
  readonly figures: Figures;
  readonly cpuMicros: number;
}

async function sample(node: DevNode): Promise<Sample> {
  return { figures: await scrape(node.metricsUrl), cpuMicros: node.cpuMicros() };
}

function proofs(before: Figures, after: Figures, of: string): number {
  return growth(before, after, `pharos_proofs_total{of="${of}"`);
}

/** Waits until both have the same head. */
export async function together(maker: DevNode, follower: DevNode): Promise<void> {
  for (const startedMs = performance.now(); ; await sleep(LOOK_EACH_MS)) {
    const heads = await Promise.all([maker, follower].map(async ({ client }) => (await fetchHead(client)).id));
    if (heads[0] === heads[1]) return;
    assert(performance.now() - startedMs < PATIENCE_MS, 'both have one head');
  }
}

async function ended(client: ChildProcess): Promise<void> {
  if (client.exitCode !== null) return;
  const exit = nextEvent(client, 'exit');
  client.kill();
  await exit;
}
