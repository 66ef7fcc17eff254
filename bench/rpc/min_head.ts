import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpServerInUse } from '../../src/jsonrpc/http/listen.ts';
import { present } from '../../src/base/assert.ts';
import { against, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { measured, type Client } from '../posts.ts';
import { RunNode } from '../run_node.ts';

const HOT = 'alexandria_api.get_dynamic_global_properties';
const IDS = 200;
const ROUNDS = 5;
const KEPT: Client = { connections: 64, atOnce: 1 };

/** Ways to ask for the same, and how much of asking plainly each reaches at least. */
const ways = [
  { name: 'plain', member: {}, client: KEPT, least: 1, isCounted: false },
  { name: 'with min_head', member: { min_head: 0 }, client: KEPT, least: 0.8, isCounted: false },
  {
    name: 'with X-Pharos-Min-Head',
    member: {},
    client: { ...KEPT, header: 'X-Pharos-Min-Head: 0' },
    least: 0.8,
    isCounted: false,
  },
  // The address of the proxy has to be read, and what that says.
  {
    name: 'counted by client',
    member: {},
    client: { ...KEPT, header: 'X-Forwarded-For: 198.51.100.{number}' },
    least: 0.6,
    isCounted: true,
  },
] as const;

type Way = (typeof ways)[number];

/** Measures the hottest read when it asks for a head, and when it is counted by the client that a proxy names. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [posts, rounds] = quick ? [300, 1] : [40_000, ROUNDS];
  const servers = httpServerInUse.name === 'uWebSockets.js' ? ['uws', 'node'] : ['node'];
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  try {
    const rows: Row[] = [];
    for (const server of servers) {
      const costs = await measureCosts(server, { posts, rounds, folder });
      const plain = makeLine(server, ways[0], costs[0]);
      rows.push(plain);
      for (const [k, way] of ways.entries())
        if (k > 0) rows.push(against({ ...makeLine(server, way, costs[k]), budget: { ratio: way.least } }, plain));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeLine(server: string, { name }: Way, cost: Measured | undefined): Row {
  return row(`hot read ${name}, ${server}`, HOT, present(cost, 'a figure'), {
    note: `${KEPT.connections} kept connections, Node ${process.versions.node}`,
  });
}

interface Measuring {
  readonly posts: number;
  readonly rounds: number;
  readonly folder: string;
}

/** The cheapest of some rounds, in turns. */
async function measureCosts(server: string, { posts, rounds, folder }: Measuring): Promise<readonly Measured[]> {
  const flags = ['--webserver-http-server', server];
  const plain = await RunNode.start(flags);
  const counting = await RunNode.start([...flags, '--trusted-proxy', '127.0.0.1', '--max-calls-per-second', '1000000']);
  try {
    const best: Measured[] = ways.map(() => ({ work: posts, cpuMicros: Infinity }));
    for (let round = 0; round < rounds; round++)
      for (const [k, way] of ways.entries()) {
        const now = await measured(way.isCounted ? counting : plain, way.client, posts, writeBodies(folder, way));
        if (now.cpuMicros < (best[k]?.cpuMicros ?? 0)) best[k] = now;
      }
    return best;
  } finally {
    await Promise.all([plain.stop(), counting.stop()]);
  }
}

function writeBodies(folder: string, { name, member }: Way): string {
  const file = join(folder, name);
  const calls = Array.from({ length: IDS }, (_, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, ...member, method: HOT, params: {} }),
  );
  writeFileSync(file, calls.join('\n'));
  return `@${file}`;
}
