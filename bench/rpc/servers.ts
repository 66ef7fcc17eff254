import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import { against, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { measured, type Client, type Server } from '../posts.ts';
import { RunNode } from '../run_node.ts';

const ROUNDS = 3;
/** Ordinary clients: connections that are kept, one call a post, the next after the answer. */
const ORDINARY: Client = { connections: 64, atOnce: 1 };
/** README: with node:http a small read costs about twice as much. */
const LEAST_SHARE = 0.4;

/** What is asked; no two calls are the same, so no answer is known before. */
const traffic: readonly (readonly [name: string, callOf: (k: number) => object])[] = [
  ['is there an account', (k) => ({ method: 'alexandria_api.account_exist', params: { account_name: `nobody-${k}` } })],
  [
    'the page of an account',
    (k) => ({ method: 'alexandria_api.get_account_history', params: { account: 'initminer', start: `${k}`, limit: 10 } }),
  ],
  ['by position', (k) => ({ method: 'get_account_name_from_seed', params: [`seed ${k}`] })],
];

/** Both HTTP servers of the plain program on the Node that runs this, asked as ordinary clients ask. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const posts = quick ? 300 : 20_000;
  const names = process.versions.node.startsWith('20.') ? ['uws', 'node'] : ['node'];
  const servers = await Promise.all(names.map((name) => RunNode.start(['--webserver-http-server', name])));
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  try {
    const rows: Row[] = [];
    for (const [what, callOf] of traffic) {
      const costs = await cheapest(servers, quick ? 1 : ROUNDS, posts, (name, first, count) =>
        bodiesIn(join(folder, name), callOf, first, count),
      );
      const own = costs.map((cost, k) =>
        row(`${what}, ${names[k]}, Node ${process.versions.node}`, 'call', cost, {
          note: '64 kept connections',
          ...(k > 0 && { budget: { ratio: LEAST_SHARE } }),
        }),
      );
      const [first] = own;
      rows.push(...own.map((line, k) => (k === 0 || first === undefined ? line : against(line, first))));
    }
    return rows;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of so many calls from that number on, in the form of http_load.ts. */
type Bodies = (name: string, first: number, count: number) => string;

/** What each server takes, in turns; no call was asked before, in another round or for the compiler. */
async function cheapest(servers: readonly Server[], rounds: number, posts: number, bodies: Bodies): Promise<Measured[]> {
  const best: Measured[] = servers.map(() => ({ work: posts, cpuMicros: Infinity }));
  for (let round = 0; round < rounds; round++) {
    const [asked, before] = [bodies('asked', 2 * round * posts, posts), bodies('before', (2 * round + 1) * posts, posts)];
    for (const [k, server] of servers.entries()) {
      const now = await measured(server, ORDINARY, posts, asked, before);
      if (now.cpuMicros < present(best[k], 'a figure').cpuMicros) best[k] = now;
    }
  }
  return best;
}

function bodiesIn(file: string, callOf: (k: number) => object, first: number, count: number): string {
  const lines = Array.from({ length: count }, (_, k) => JSON.stringify({ jsonrpc: '2.0', id: first + k, ...callOf(first + k) }));
  writeFileSync(file, lines.join('\n'));
  return `@${file}`;
}
