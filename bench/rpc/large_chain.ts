import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../src/codec/json.ts';
import { assert } from '../../src/base/assert.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { timeText } from '../../src/values/time.ts';
import { amountRow, row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { measured, post } from '../posts.ts';
import { grouped } from '../table.ts';
import {
  accountNumbered,
  APPLICATION,
  buildLargeChain,
  builtSizes,
  BUSY,
  keyNumbered,
  type ChainSizes,
} from './large_chain_build.ts';

const MIB = 1024 * 1024;
const CLIENT = { connections: 64, atOnce: 1 };
/** A second, of one core at most. */
const LONGEST_START_CPU_MS = 1000;
const { keyPrefix } = profileNamed('default');
/** A node that has less to do than this, in CPU-ms a second, has finished what a start left behind. */
const IDLE_CPU_MS = 50;
const LONGEST_WAIT_SECONDS = 180;
/** So many random accounts of a million lie in most blocks of the files. */
const MOST_CALLS_BEFORE = 200_000;

/**
 * Reads of a chain with very many accounts, history entries and documents, which the state machine itself has built,
 * and starts of a node on it. PHAROS_BENCH_ACCOUNTS says how many accounts, 100 000 by default; there are ten entries
 * of histories and three tenths of a document for each. With PHAROS_BENCH_CHAIN the chain stays in that folder and is
 * built only where there is none.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const kept = process.env['PHAROS_BENCH_CHAIN'];
  const dataFolder = kept ?? mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  try {
    const known = builtSizes(dataFolder);
    const sizes = known ?? chooseSizes(quick ? 200 : Number(process.env['PHAROS_BENCH_ACCOUNTS'] ?? 100_000));
    const built = known === undefined ? await buildLargeChain(dataFolder, sizes) : [];
    return [...built, ...(await startsAndReads(dataFolder, sizes, quick))];
  } finally {
    if (kept === undefined) rmSync(dataFolder, { recursive: true, force: true });
  }
}

function chooseSizes(accounts: number): ChainSizes {
  return { accounts, entries: accounts * 10, documents: Math.ceil(accounts * 0.3) };
}

/** The first start reads the log that the building has left; the others are as any node's. */
async function startsAndReads(dataFolder: string, sizes: ChainSizes, quick: boolean): Promise<Row[]> {
  const first = await start(dataFolder, sizes, 'behind bulk writes');
  await first.node.stop();
  const clean = await start(dataFolder, sizes, 'after a clean stop');
  const rows = [first.row, clean.row];
  if (!quick) await untilIdle(clean.node);
  for (const read of reads(sizes)) rows.push(await readRow(clean.node, dataFolder, read, quick));
  await clean.node.kill();
  const killed = await start(dataFolder, sizes, 'after kill -9');
  await killed.node.stop();
  return [...rows, killed.row];
}

async function start(
  dataFolder: string,
  { accounts }: ChainSizes,
  when: string,
): Promise<{ readonly node: DevNode; readonly row: Row }> {
  const logBytes = bytesOfLogs(join(dataFolder, 'chain'));
  const startedMs = performance.now();
  const node = await DevNode.start({ dataFolder });
  await node.client.call('alexandria_api.get_account', { account_name: accountNumbered(accounts - 1) });
  const cpuMicros = node.cpuMicros();
  const wallMs = performance.now() - startedMs;
  const note = `${wallMs.toFixed(0)} ms of wall time from the start of the process to the answer of a get_account; log of ${mebibytes(logBytes)}`;
  const line = amountRow(
    `start ${when}, ${grouped(accounts)} accounts`,
    'start to first answer',
    { value: cpuMicros / 1000, unit: 'CPU-ms' },
    { budget: { atMost: LONGEST_START_CPU_MS }, note },
  );
  return { node, row: line };
}

function bytesOfLogs(folder: string): number {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.log'))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** A start leaves work behind, such as merging files, which is no cost of a read. */
async function untilIdle(node: DevNode): Promise<void> {
  for (let second = 0; second < LONGEST_WAIT_SECONDS; second++) {
    const before = node.cpuMicros();
    await sleep(1000);
    if (node.cpuMicros() - before < IDLE_CPU_MS * 1000) return;
  }
}

/** One kind of call, with params that differ from call to call. */
interface Read {
  readonly name: string;
  readonly method: string;
  readonly calls: number;
  readonly budget?: number;
  /** Calls before, which bring into memory what stays there; one for ten that count by default. */
  readonly callsBefore?: number;
  params(): Json;
}

function reads(sizes: ChainSizes): Read[] {
  return [...accountReads(sizes), ...listReads(sizes), ...historyReads(sizes), ...documentReads(sizes)];
}

const below = (count: number): number => Math.trunc(Math.random() * count);

function accountReads({ accounts }: ChainSizes): Read[] {
  const some = (): string => accountNumbered(below(accounts));
  const key = (): string => publicKeyText(keyNumbered(below(accounts), 'active'), keyPrefix);
  return [
    {
      name: `get_account, random of ${grouped(accounts)}`,
      method: 'alexandria_api.get_account',
      calls: 50_000,
      callsBefore: Math.min(accounts, MOST_CALLS_BEFORE),
      budget: 60_000,
      params: () => ({ account_name: some() }),
    },
    {
      name: 'get_accounts of 100',
      method: 'alexandria_api.get_accounts',
      calls: 1000,
      params: () => ({ account_names: Array.from({ length: 100 }, some) }),
    },
    {
      name: 'get_key_references of a key',
      method: 'account_by_key_api.get_key_references',
      calls: 20_000,
      params: () => ({ keys: [key()] }),
    },
  ];
}

function listReads({ accounts }: ChainSizes): Read[] {
  const some = (): string => accountNumbered(below(accounts));
  const starts = {
    by_name: some,
    by_id: () => below(accounts),
    by_proxy: () => ['', some()],
    by_next_vesting_withdrawal: () => [timeText(0xffff_ffff), some()],
    by_balance: () => below(1_000_000_000),
  };
  return Object.entries(starts).map(([order, from]) => ({
    name: `list_accounts ${order}, 100`,
    method: 'database_api.list_accounts',
    calls: 1000,
    params: () => ({ start: from(), limit: 100, order }),
  }));
}

function historyReads({ accounts, entries }: ChainSizes): Read[] {
  const history = (name: string, limit: number, account: () => string, from: () => number): Read => ({
    name: `get_account_history, ${name}, ${limit}`,
    method: 'account_history_api.get_account_history',
    calls: limit === 1 ? 20_000 : 2000,
    // The page is [start − limit, start].
    params: () => ({ account: account(), start: from(), limit: limit - 1 }),
  });
  const busyEntries = Math.trunc(entries / 4);
  return [1, 100].flatMap((limit) => [
    history(
      `newest of ${grouped(busyEntries)}`,
      limit,
      () => BUSY,
      // Behind the newest entry, and so the newest: each call another one, which no answer is known to.
      () => entries + below(1_000_000_000),
    ),
    history(
      `anywhere in ${grouped(busyEntries)}`,
      limit,
      () => BUSY,
      () => limit + below(busyEntries - limit),
    ),
    history(
      'newest of a random account',
      limit,
      () => accountNumbered(below(accounts)),
      () => -1,
    ),
  ]);
}

function documentReads({ documents }: ChainSizes): Read[] {
  const count = 10;
  return ['by_sender_reverse', 'by_recipient_reverse', 'by_sender', 'by_recipient'].map((search_type) => ({
    name: `list_received_documents ${search_type}, ${count} of ${grouped(documents)}`,
    method: 'custom_api.list_received_documents',
    calls: 5000,
    params: () => ({
      app_id: Number(APPLICATION),
      account_name: BUSY,
      search_type,
      start: String(count + below(documents / 2 - count)),
      count,
    }),
  }));
}

async function readRow(
  node: DevNode,
  dataFolder: string,
  { name, method, calls, callsBefore = 0, budget, params }: Read,
  quick: boolean,
): Promise<Row> {
  const count = quick ? 20 : calls;
  const [answer] = await node.client.callMany(method, [params()]);
  assert(answer !== undefined && 'result' in answer, `${name} is answered`);
  const bodies = (posts: number, file: string): string => {
    const path = join(dataFolder, file);
    const lines = Array.from({ length: posts }, (_, id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params: params() }),
    );
    writeFileSync(path, lines.join('\n'));
    return `@${path}`;
  };
  if (!quick && callsBefore > 0) await post(node, CLIENT, callsBefore, bodies(callsBefore, 'bodies_before'));
  const cost = await measured(
    node,
    CLIENT,
    count,
    bodies(count, 'bodies'),
    bodies(Math.ceil(count / 10), 'bodies_before'),
  );
  const { peak, now } = node.memory();
  const note = `64 connections; memory of the node ${mebibytes(now)}, at most ${mebibytes(peak)}`;
  return row(name, method, cost, { note, ...(budget === undefined ? {} : { budget: { perCpuSecond: budget } }) });
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
