import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import { httpServerInUse } from '../../src/jsonrpc/http/listen.ts';
import { installedNode, supportedNodes } from '../../test/services/nodes.ts';
import { against, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { load } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { measured, type Client } from '../posts.ts';
import { RunNode } from '../run_node.ts';

const ROUNDS = 3;
/** Ordinary clients: connections that are kept, one call a post, the next after the answer. */
const ORDINARY: Client = { connections: 64, atOnce: 1 };
/**
 * README: uWebSockets.js takes a quarter of the CPU time for a small read, and three quarters of it for a computed one
 * at the worst.
 */
const MOST_OF_NODE = 4;

/** Something that runs the program. */
interface Contender {
  readonly name: string;
  readonly program: string;
  readonly server: 'uws' | 'node';
}

/**
 * A kind of request, with `calls` calls in a body. A call without a number is answered from the cache, except the first
 * time.
 */
interface Reads {
  readonly name: string;
  readonly calls: number;
  readonly callOf: (k: number) => object;
}

const reads: readonly Reads[] = [
  {
    name: 'hot read',
    calls: 1,
    callOf: () => ({ method: 'alexandria_api.account_exist', params: { account_name: 'initminer' } }),
  },
  { name: 'computed read', calls: 1, callOf: (k) => ({ method: 'get_account_name_from_seed', params: [`seed ${k}`] }) },
  {
    name: 'read of a page',
    calls: 1,
    callOf: (k) => ({
      method: 'alexandria_api.get_account_history',
      params: { account: 'initminer', start: `${k}`, limit: 10 },
    }),
  },
  {
    name: 'reads in posts of 100',
    calls: 100,
    callOf: (k) => ({ method: 'get_account_name_from_seed', params: [`seed ${k}`] }),
  },
];

const transfers = [
  { name: 'transfers in posts of 100', form: { batch: 100 }, count: 10_000 },
  { name: 'transfers one a post', form: { batch: 1 }, count: 4000 },
] as const;

/**
 * Both HTTP servers on each Node that is supported, in turns, as ratios to the first; in the small form on this Node
 * alone.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const contenders = quick
    ? listContenders(process.execPath, process.versions.node)
    : supportedNodes.flatMap((version) => listContenders(nodeProgram(version), version));
  return [...(await readRows(contenders, quick)), ...(await transferRows(contenders, quick))];
}

function nodeProgram(version: (typeof supportedNodes)[number]): string {
  return process.versions.node === version ? process.execPath : installedNode(version);
}

function listContenders(program: string, version: string): Contender[] {
  const servers =
    version.startsWith('26.') || httpServerInUse.name === 'node:http'
      ? (['node'] as const)
      : (['uws', 'node'] as const);
  return servers.map((server) => ({
    name: `${server === 'uws' ? 'uWebSockets.js' : 'node:http'}, Node ${version.split('.')[0]}`,
    program,
    server,
  }));
}

async function readRows(contenders: readonly Contender[], quick: boolean): Promise<Row[]> {
  const nodes = await Promise.all(
    contenders.map(({ server, program }) => RunNode.start(['--webserver-http-server', server], program)),
  );
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  try {
    const rows: Row[] = [];
    for (const what of reads) {
      const posts = quick ? 100 : Math.ceil(20_000 / what.calls);
      const costs = await cheapest(nodes, quick ? 1 : ROUNDS, async (node, round) => {
        const [asked, before] = [2 * round, 2 * round + 1].map((part) =>
          writeBodies(join(folder, `${part}`), what, part * posts, posts),
        );
        const cost = await measured(node, ORDINARY, posts, present(asked, 'bodies'), before);
        return { ...cost, work: cost.work * what.calls };
      });
      rows.push(...makeRows(what.name, 'call', contenders, costs));
    }
    return rows;
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function transferRows(contenders: readonly Contender[], quick: boolean): Promise<Row[]> {
  const start = async ({ server, program }: Contender): Promise<DevNode> =>
    await DevNode.start({
      blockIntervalMs: 500,
      node: program,
      largeBlocks: !quick,
      settings: ['--webserver-http-server', server],
    });
  const nodes = await Promise.all(contenders.map(start));
  try {
    const rows: Row[] = [];
    for (const { name, form, count } of transfers) {
      const costs = await cheapest(nodes, quick ? 1 : ROUNDS, async (node) => {
        const before = node.cpuMicros();
        const work = quick ? 100 : count;
        await load(node, work, form);
        return { work, cpuMicros: node.cpuMicros() - before };
      });
      rows.push(...makeRows(name, 'transfer', contenders, costs));
    }
    return rows;
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

/** Each is compared with the first; node:http may not take many times as much. */
function makeRows(what: string, counted: string, contenders: readonly Contender[], costs: readonly Measured[]): Row[] {
  const own = contenders.map(({ name }, k) =>
    row(`${what}, ${name}`, counted, present(costs[k], 'a figure'), {
      ...(k > 0 && { budget: { ratio: 1 / (2 * MOST_OF_NODE) } }),
    }),
  );
  const [first] = own;
  return own.map((line, k) => (k === 0 || first === undefined ? line : against(line, first)));
}

/** Measures each node in turns and keeps its cheapest round. */
async function cheapest<N>(
  nodes: readonly N[],
  rounds: number,
  costOf: (node: N, round: number) => Promise<Measured>,
): Promise<Measured[]> {
  const best: Measured[] = nodes.map(() => ({ work: 1, cpuMicros: Infinity }));
  for (let round = 0; round < rounds; round++) {
    for (const [k, node] of nodes.entries()) {
      const now = await costOf(node, round);
      const { work, cpuMicros } = present(best[k], 'a figure');
      if (now.cpuMicros / now.work < cpuMicros / work) best[k] = now;
    }
  }
  return best;
}

/** Writes `count` request bodies, numbered from `first` on, in the form of http_load.ts. */
function writeBodies(file: string, { calls, callOf }: Reads, first: number, count: number): string {
  const call = (k: number): object => ({ jsonrpc: '2.0', id: k, ...callOf(k) });
  const makeBody = (number: number): object[] => Array.from({ length: calls }, (_, k) => call(number * calls + k));
  const bodies = Array.from({ length: count }, (_, k) => makeBody(first + k));
  writeFileSync(file, bodies.map((body) => JSON.stringify(calls === 1 ? body[0] : body)).join('\n'));
  return `@${file}`;
}
