import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { devAccounts } from '../../src/dev_chain/dev_genesis.ts';
import { fetchHead } from '../../src/load_test/chain_facts.ts';
import { LoadedNode } from '../../src/load_test/loaded_node.ts';
import { growth, scrape } from '../../src/load_test/scrape.ts';
import { assert } from '../../src/base/assert.ts';
import { against, row, type BenchOptions, type Row } from '../bench.ts';
import { nextEvent } from '../next_event.ts';
import { post, type Client } from '../posts.ts';
import { StartedFarm } from '../started_farm.ts';

/** A block of the template has three times as many. */
const RATE = 200;
const TRANSFERS_MS = 20_000;
const READS = 30_000;
const READERS: Client = { connections: 64, atOnce: 1 };
const MOST_FOLLOWERS = 3;
const IDS = 500;
/** Of what it takes for a transfer while nobody reads: writer and readers share two cores and their caches here. */
const LEAST_RATIO = 0.7;
const PATIENCE_MS = 60_000;

/**
 * Measures a read through HAProxy with one, two and three followers, and whether the node that writes notices the
 * readers.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  // The smallest form is run where no proxy is installed.
  if (quick) return [];
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  try {
    const body = `@${writeBodies(folder)}`;
    const rows: Row[] = [];
    for (let followers = 1; followers <= MOST_FOLLOWERS; followers++)
      rows.push(...(await measureRows(followers, body)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As `pharos/client` asks: each wants the head that it has seen. No two in a row are the same. */
function writeBodies(folder: string): string {
  const file = join(folder, 'reads');
  const calls = Array.from({ length: IDS }, (_, id) => {
    const params = { account_name: devAccounts[id % devAccounts.length] };
    return JSON.stringify({ jsonrpc: '2.0', id, min_head: 1, method: 'alexandria_api.get_account', params });
  });
  writeFileSync(file, calls.join('\n'));
  return file;
}

async function measureRows(followers: number, body: string): Promise<Row[]> {
  const farm = await StartedFarm.start(followers);
  try {
    await inStep(farm);
    await readByProxy(farm, body, READS / 10);
    const reads = await readByProxy(farm, body, READS);
    // Without, beside, without: a node that becomes faster all the while favours neither.
    const alone = [await measureTransfers(farm)];
    const beside = await measureTransfersAndReads(farm, body);
    alone.push(await measureTransfers(farm));
    return makeRows(followers, reads, sumTransfers(alone), beside);
  } finally {
    await farm.stop();
  }
}

interface Reads {
  readonly count: number;
  readonly seconds: number;
  readonly followers: number;
  readonly proxy: number;
  readonly writer: number;
}

/** That many reads as fast as they are answered, and what they cost. */
async function readByProxy(farm: StartedFarm, body: string, count: number): Promise<Reads> {
  const [before, startedMs] = [farm.cpuMicros(), performance.now()];
  await post({ port: proxyPort(farm), pid: farm.proxy.pid }, READERS, count, body);
  const after = farm.cpuMicros();
  return {
    ...{ count, seconds: (performance.now() - startedMs) / 1000 },
    ...{
      followers: after.followers - before.followers,
      proxy: after.proxy - before.proxy,
      writer: after.writer - before.writer,
    },
  };
}

function proxyPort({ proxy }: StartedFarm): number {
  return Number(new URL(proxy.url).port);
}

interface Transfers {
  readonly count: number;
  readonly writer: number;
  readonly followers: number;
  readonly sentBytes: number;
}

/** Transfers at a fixed rate, posted at the writer, and what the farm takes meanwhile. */
async function measureTransfers(farm: StartedFarm): Promise<Transfers> {
  const client = fork(fileURLToPath(new URL('../paced_transfers.js', import.meta.url)), [
    farm.writer.url,
    String(RATE),
  ]);
  try {
    await nextEvent(client, 'message');
    await sleep(TRANSFERS_MS / 4);
    const before = await sample(farm, client);
    await sleep(TRANSFERS_MS);
    const after = await sample(farm, client);
    return {
      ...{
        count: after.posted - before.posted,
        writer: after.writer - before.writer,
        followers: after.followers - before.followers,
      },
      sentBytes: growth(before.figures, after.figures, 'pharos_peer_bytes_total'),
    };
  } finally {
    const ended = nextEvent(client, 'exit');
    client.kill();
    await ended;
    await inStep(farm);
  }
}

async function sample(farm: StartedFarm, client: ChildProcess) {
  const answer = nextEvent(client, 'message');
  client.send('how many?');
  const posted = await answer;
  assert(typeof posted === 'number', 'how many are posted');
  return { posted, figures: await scrape(farm.metricsUrl), ...farm.cpuMicros() };
}

async function measureTransfersAndReads(
  farm: StartedFarm,
  body: string,
): Promise<Transfers & { readonly reads: number }> {
  const going = new AbortController();
  let reads = 0;
  const reading = (async () => {
    for (; !going.signal.aborted; reads += READS / 10)
      await post({ port: proxyPort(farm), pid: farm.proxy.pid }, READERS, READS / 10, body);
  })();
  try {
    return { ...(await measureTransfers(farm)), reads };
  } finally {
    going.abort();
    await reading;
  }
}

function sumTransfers(parts: readonly Transfers[]): Transfers {
  return parts.reduce((a, b) => ({
    ...{ count: a.count + b.count, writer: a.writer + b.writer },
    ...{ followers: a.followers + b.followers, sentBytes: a.sentBytes + b.sentBytes },
  }));
}

function makeRows(
  followers: number,
  reads: Reads,
  alone: Transfers,
  beside: Transfers & { readonly reads: number },
): Row[] {
  const each = (micros: number, { count }: { readonly count: number }): string => (micros / count).toFixed(1);
  const of = `farm of ${followers}`;
  const shares = `${each(reads.followers, reads)} µs of it followers, ${each(reads.proxy, reads)} HAProxy; the writer ${each(reads.writer, reads)}`;
  const baseline = row(
    `${of}: the writer, nobody reads`,
    'transfer, CPU time of the writer',
    { work: alone.count, cpuMicros: alone.writer },
    {
      note: `${RATE} a second; each follower ${each(alone.followers / followers, alone)} µs, bytes between them ${each(alone.sentBytes, alone)}`,
    },
  );
  const besideRow = row(
    `${of}: the writer beside readers`,
    'transfer, CPU time of the writer',
    { work: beside.count, cpuMicros: beside.writer },
    { budget: { ratio: LEAST_RATIO }, note: `${beside.reads} reads meanwhile` },
  );
  return [
    row(
      `${of}: reads through HAProxy`,
      'get_account with min_head',
      { work: reads.count, cpuMicros: reads.followers + reads.proxy },
      {
        note: `${Math.round(reads.count / reads.seconds)} a second beside its clients on this machine; ${shares}`,
      },
    ),
    baseline,
    against(besideRow, baseline),
  ];
}

/** All followers have the writer's head. */
async function inStep({ writer, followers }: StartedFarm): Promise<void> {
  const fetchBlockId = async ({ url }: { readonly url: string }): Promise<string> =>
    (await fetchHead(new LoadedNode(url))).id;
  for (const startedMs = performance.now(); ; await sleep(100)) {
    const heads = await Promise.all([writer, ...followers].map(fetchBlockId));
    if (new Set(heads).size === 1) return;
    assert(performance.now() - startedMs < PATIENCE_MS, 'all have one head');
  }
}
