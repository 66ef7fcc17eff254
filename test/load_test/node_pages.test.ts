import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { NodePages } from '../../src/load_test/node_pages.ts';

/** The server's pages by path; anything else does not exist. */
let pages: Record<string, string> = {};
let closedUrl: URL;
const server = createServer((request, response) => {
  const page = pages[request.url ?? ''];
  response.writeHead(page === undefined ? 404 : 200).end(page);
});
let url: URL;

async function opened(one: Server): Promise<URL> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const address = one.address();
  assert.ok(typeof address === 'object' && address !== null);
  return new URL(`http://127.0.0.1:${address.port}`);
}

before(async () => {
  url = await opened(server);
  const short = createServer();
  closedUrl = await opened(short);
  short.close();
});

beforeEach(() => {
  pages = {};
});

after(() => server.close());

interface Shown {
  readonly started: number;
  readonly cpu: number;
  readonly bytes: number;
  readonly pending: number;
  /** Blocks that were on the disk within 10 ms, and all. */
  readonly blocks: readonly [number, number];
}

function show({ started, cpu, bytes, pending, blocks: [quick, all] }: Shown): void {
  pages['/metrics'] = `# HELP process_cpu_seconds_total CPU
process_cpu_seconds_total ${cpu}
process_start_time_seconds ${started}
process_resident_memory_bytes ${bytes}

pharos_pending_transactions ${pending}
pharos_writer_delay_seconds 0.25
pharos_block_lateness_seconds_bucket{le="0.01"} ${quick}
pharos_block_lateness_seconds_bucket{le="+Inf"} ${all}
pharos_block_lateness_seconds_count ${all}
`;
}

test('CPU time grows over a restart, levels keep their highest, and classes count from the first look', async () => {
  const told = new NodePages(url, undefined);
  show({ started: 1, cpu: 10, bytes: 500, pending: 7, blocks: [100, 100] });
  await told.look();
  show({ started: 1, cpu: 12, bytes: 900, pending: 3, blocks: [109, 110] });
  await told.look();
  assert.deepEqual(told.sample(), { cpuMicros: 2_000_000, bytes: 900, pending: 3 });
  assert.deepEqual((await told.figures()).metrics?.blockLateMs, { p50: 10, p99: Infinity });
  show({ started: 50, cpu: 0.5, bytes: 400, pending: 1, blocks: [4, 4] });
  await told.look();
  const { metrics, problem } = await told.figures();
  assert.deepEqual(metrics, {
    cpuSeconds: 2.5,
    bytes: 400,
    mostBytes: 900,
    restarts: 1,
    most: { 'transactions waiting for a block': 7, 'ms that the writer was late': 250 },
    blockLateMs: { p50: 10, p99: 10 },
  });
  assert.equal(problem, null);
});

test('a node that is away for a moment keeps its figures', async () => {
  const told = new NodePages(url, undefined);
  show({ started: 1, cpu: 10, bytes: 500, pending: 7, blocks: [1, 1] });
  await told.look();
  pages = {};
  await told.look();
  assert.equal((await told.figures()).metrics?.bytes, 500);
});

test('metrics elsewhere are read there, and what cannot be read is said with its reason', async () => {
  show({ started: 1, cpu: 1, bytes: 5, pending: 0, blocks: [0, 0] });
  const elsewhere = new NodePages(closedUrl, new URL('/metrics', url).href);
  await elsewhere.look();
  assert.equal((await elsewhere.figures()).metrics?.bytes, 5);
  for (const [page, reason] of [
    [undefined, /^HTTP 404$/],
    ['<h1>Welcome</h1>', /none of figures for Prometheus/],
    ['x'.repeat(5_000_000), /more than 4194304 bytes/],
  ] as const) {
    pages = page === undefined ? {} : { '/metrics': page };
    const told = new NodePages(url, undefined);
    await told.look();
    const { metrics, problem } = await told.figures();
    assert.equal(metrics, null);
    assert.match(problem ?? '', reason);
    assert.equal(told.sample(), undefined);
  }
  const nobody = new NodePages(closedUrl, undefined);
  await nobody.look();
  assert.match((await nobody.figures()).problem ?? '', /ECONNREFUSED/);
});

test('health is what /health says, and nothing where that is none', async () => {
  const told = new NodePages(url, undefined);
  pages['/health'] = '{"status":"syncing","head_age_seconds":12,"clock_offset_seconds":-0.5}';
  assert.deepEqual((await told.figures()).health, { status: 'syncing', headAgeSeconds: 12, clockOffsetSeconds: -0.5 });
  for (const none of ['<html>', '{}', '[]']) {
    pages['/health'] = none;
    assert.equal((await told.figures()).health, null);
  }
});
