import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { readCpuMicros } from '../../src/load_test/process_cpu.ts';
import { Balances } from '../../src/sinks/postgres/balances.ts';
import { BlockRows, accountNames, chainEncoding, readBlock } from '../../src/sinks/postgres/block_rows.ts';
import { Database } from '../../src/sinks/postgres/database.ts';
import { EscrowBook } from '../../src/sinks/postgres/escrow_book.ts';
import { Indexer } from '../../src/sinks/postgres/indexer.ts';
import { NatsServer } from '../../test/services/nats_server.ts';
import { PostgresServer } from '../../test/services/postgres.ts';
import { amountRow, measureAsync, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { DevNode } from '../dev_node.ts';
import { MixedTraffic } from '../mixed_traffic.ts';
import { recoverMicros, recoveryRow } from '../recovery.ts';
import { GeneratedChain, OPERATIONS_OF_A_BLOCK } from '../generated_chain.ts';

/** Of the indexer and the server together. */
const BUDGET = { perCpuSecond: 15_000 };
const [BLOCKS, TRANSFERS] = [60, 2500];
const OPERATIONS = Number(process.env['PHAROS_BENCH_OPERATIONS'] ?? 100_000);
/** A database that is filled with the generated chain, or has been, and stays. */
const KEPT = process.env['PHAROS_BENCH_POSTGRES'];
const PROGRAM = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));
const PLANS = new URL('../../sql_plans.txt', import.meta.url);
const GUIDE = new URL('../../../src/pages/guides/sql.md', import.meta.url);
const LOOK_EACH_MS = 50;

/** Measures the index of a chain in PostgreSQL, and the guide's queries there. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const rows = [
    row('pharos index: blocks to rows', 'operation', await toRows(quick ? 2 : 2000), {
      note: 'of a generated chain, without a server',
    }),
  ];
  // The smallest form is run where no server of others is installed.
  if (quick) return rows;
  if (KEPT !== undefined) return [...rows, ...(await queries(KEPT))];
  const recovered: number[] = [];
  for (const content of ['transfers', 'mix'] as const)
    for (const source of ['node', 'stream'] as const) {
      // One server each: it would go on with the work that the last one has left, such as the statistics of its tables.
      rows.push(...(await withServer(async (server) => await catchUp(server, content, source))));
      recovered.push(...[recoverMicros()].filter((micros) => micros !== undefined));
    }
  rows.push(...[recoveryRow(recovered)].filter((each) => each !== undefined));
  return [...rows, ...(await withServer(async (server) => await queries(await server.database('generated'))))];
}

async function withServer<T>(job: (server: PostgresServer) => Promise<T>): Promise<T> {
  const server = await PostgresServer.start();
  try {
    return await job(server);
  } finally {
    await server.stop();
  }
}

async function toRows(blocks: number): Promise<Measured> {
  const chain = await new GeneratedChain(blocks).chain();
  const events = await new GeneratedChain(blocks).next();
  const work = events.length * OPERATIONS_OF_A_BLOCK;
  return await measureAsync(work, 4, async () => {
    const [balances, book] = [new Balances(), new EscrowBook([], false)];
    const rows = new BlockRows(chain, balances, book);
    let before = chain.genesisTime;
    for (const event of events) {
      if (!('block' in event)) continue;
      const read = readBlock(event.block, chainEncoding(chain));
      for (const name of balances.unknown(accountNames([read], book))) balances.put(name);
      rows.add(read, before);
      before = event.block.timestamp;
    }
    await Promise.resolve();
  });
}

/**
 * `pharos index` behind a node that has a chain of full blocks, or behind the stream that this has written: all of both
 * processes, and the node's apart.
 */
async function catchUp(server: PostgresServer, content: Content, source: Source): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-sql-'));
  const nats = source === 'stream' ? await NatsServer.start(join(folder, 'nats')) : undefined;
  try {
    const head = await fill(folder, content);
    const sink = nats === undefined ? [] : ['--sink-nats', nats.url];
    const node = await DevNode.start({ dataFolder: folder, settings: ['--no-mining', ...sink] });
    if (nats !== undefined) await written(nats, head);
    const url = await server.database(`caught_up_${content}_${source}`);
    const database = await Database.connect(url);
    const [before, nodeBefore] = [sumCpuMicros(server.pid), present(readCpuMicros(node.pid), 'the time of the node')];
    const from = nats === undefined ? [] : ['--from', `nats://127.0.0.1:${nats.port}`];
    const words = ['index', '--postgres', url, '--url', `ws://127.0.0.1:${node.port}`, ...from];
    const indexer = spawn(process.execPath, [PROGRAM, ...words], { stdio: 'ignore' });
    try {
      await indexed(database, head, indexer);
      const cpuMicros =
        present(readCpuMicros(present(indexer.pid, 'a process')), 'its CPU time') + sumCpuMicros(server.pid) - before;
      const nodeMicros = present(readCpuMicros(node.pid), 'the time of the node') - nodeBefore;
      const [told] = await database.query<{ count: string }>('SELECT sum(operation_count) AS count FROM blocks');
      const work = Number(told?.count);
      const note = `blocks of ${Math.round(work / BLOCKS)} operations; all of the indexer and of PostgreSQL, the start of both included`;
      const name = `pharos index: from a ${source} into PostgreSQL, ${contents[content]}`;
      return [
        row(name, 'operation', { work, cpuMicros }, { budget: BUDGET, note }),
        row(
          `${name}: the node`,
          'operation',
          { work, cpuMicros: nodeMicros },
          { note: 'what the node does meanwhile' },
        ),
      ];
    } finally {
      indexer.kill('SIGKILL');
      await database.close();
      await node.stop();
    }
  } finally {
    await nats?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Source = 'node' | 'stream';

/** Waits until the stream has all of the chain. */
async function written(nats: NatsServer, head: number): Promise<void> {
  for (;;) {
    const check = spawn(process.execPath, [PROGRAM, 'stream', 'check', '--nats', `nats://127.0.0.1:${nats.port}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    check.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(check, 'close');
    if (said.includes(` ${head} blocks`)) return;
    await sleep(LOOK_EACH_MS);
  }
}

const contents = { transfers: 'transfers', mix: 'mix real' } as const;
type Content = keyof typeof contents;

async function fill(folder: string, content: Content): Promise<number> {
  const dev = await DevChain.openDevChain(folder, Math.trunc(Date.now() / 1000) - 3600);
  dev.voteForLargeBlocks();
  const traffic = content === 'mix' ? new MixedTraffic(dev) : undefined;
  for (let block = 0; block < BLOCKS; block++) {
    if (traffic === undefined)
      for (const transaction of dev.transfers(TRANSFERS, block * TRANSFERS + 1)) dev.chain.accept(transaction);
    else traffic.verify(traffic.draw(TRANSFERS).batches);
    traffic?.apply();
    dev.seal();
  }
  const { number } = dev.chain.head;
  await dev.close({ keep: true });
  return number;
}

async function indexed(database: Database, head: number, indexer: ChildProcess): Promise<void> {
  for (; ; await sleep(LOOK_EACH_MS)) {
    assert(indexer.exitCode === null, 'the indexer runs');
    const [found] = await database.query<{ exists: boolean }>("SELECT to_regclass('chain') IS NOT NULL AS exists");
    if (found?.exists !== true) continue;
    const [chain] = await database.query<{ number: number }>('SELECT head_block_number AS number FROM chain');
    if (chain !== undefined && chain.number >= head) return;
  }
}

/** CPU time of a server and of its processes, those that have ended included. */
function sumCpuMicros(server: number): number {
  let [micros, ended] = [0, 0];
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const fields = statFields(pid);
    if (pid !== server && Number(fields[1]) !== server) continue;
    micros += readCpuMicros(pid) ?? 0;
    if (pid === server) ended = (Number(fields[13]) + Number(fields[14])) * MICROS_PER_TICK;
  }
  return micros + ended;
}

const MICROS_PER_TICK = 10_000;

/** The fields behind the name of a process in `stat`: its state, its parent, … (proc(5)). */
function statFields(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Fills a database unless it is, and asks each query of the guide: cold ones count, of three. */
async function queries(url: string): Promise<Row[]> {
  await new Indexer({
    ...{ source: new GeneratedChain(Math.ceil(OPERATIONS / OPERATIONS_OF_A_BLOCK)), databaseUrl: url },
    ...{ clock: systemClock, log: openLog({ level: 'notice' }, 'index') },
  }).run();
  const database = await Database.connect(url);
  try {
    await database.query('VACUUM ANALYZE');
    const [counted] = await database.query<{ count: string }>('SELECT sum(operation_count) AS count FROM blocks');
    const plans: string[] = [];
    const rows: Row[] = [];
    for (const { heading, query } of queriesOfGuide()) {
      const { ms, plan } = await explained(database, query);
      plans.push(`${heading}\n\n${query}\n${plan}\n`);
      rows.push(
        amountRow(`SQL: ${heading}`, 'query', { value: ms, unit: 'ms' }, { note: `${counted?.count} operations` }),
      );
    }
    writeFileSync(PLANS, plans.join('\n\n'));
    return rows;
  } finally {
    await database.close();
  }
}

interface GuideQuery {
  readonly heading: string;
  readonly query: string;
}

/** Each with the sentence before it. */
export function queriesOfGuide(): GuideQuery[] {
  return [...readFileSync(GUIDE, 'utf8').matchAll(/([^\n]+)\n\n```sql\n([^]*?)^```$/gm)].map(
    ([, heading = '', query = '']) => ({
      heading: heading.replace(/:$/, ''),
      query,
    }),
  );
}

async function explained(database: Database, query: string): Promise<{ readonly ms: number; readonly plan: string }> {
  let best = { ms: Infinity, plan: '' };
  for (let round = 0; round < ROUNDS; round++) {
    const lines = await database.query<Readonly<Record<string, string>>>(`EXPLAIN (ANALYZE, BUFFERS) ${query}`);
    const plan = lines.map((line) => line['QUERY PLAN'] ?? '').join('\n');
    const ms = Number(/Execution Time: ([\d.]+) ms/.exec(plan)?.[1]);
    if (ms < best.ms) best = { ms, plan };
  }
  return best;
}

const ROUNDS = 3;
