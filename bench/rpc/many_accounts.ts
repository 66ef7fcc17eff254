import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '../../src/base/assert.ts';
import { devAccounts, devKeyOf } from '../../src/node/dev/dev_genesis.ts';
import { accountCreate } from '../../src/operations/account_create.ts';
import { nameFromSeed } from '../../src/values/account_name.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { DevNode } from '../dev_node.ts';
import { measured } from '../posts.ts';
import { grouped } from '../table.ts';

const ACCOUNTS_A_BLOCK = 10_000;
/** Blocks before the first account: a round until large ones are in force. */
const FIRST_BLOCKS = 60;
const CREATION_FEE = 1_000_000n;
/** Accounts that are asked for; the bodies of the posts lie in memory. */
const ASKED = 50_000;
const MIB = 1024 * 1024;

/**
 * get_account of random accounts among very many, which the state machine itself has created, from a node that is started on that
 * chain: how long until it answers, what a call costs, and the memory of its process. Creating the promised million takes minutes, so
 * there are 100 000 unless PHAROS_BENCH_ACCOUNTS says otherwise.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const count = quick ? 200 : Number(process.env['PHAROS_BENCH_ACCOUNTS'] ?? 100_000);
  const dataFolder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  try {
    const creation = await createAccounts(dataFolder, count);
    const startedMs = performance.now();
    const node = await DevNode.start({ dataFolder });
    try {
      await node.client.call('alexandria_api.get_account', { account_name: seededName(0) });
      const start = startRow(node, performance.now() - startedMs, count);
      return [creation, start, await readRow(node, dataFolder, count, quick ? 200 : ASKED)];
    } finally {
      await node.stop();
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

const seededName = (number: number): string => nameFromSeed(`account ${number}`);

async function createAccounts(dataFolder: string, count: number): Promise<Row> {
  const now = Math.trunc(Date.now() / 1000);
  const dev = await DevChain.openFor(dataFolder, now - 3 * (FIRST_BLOCKS + Math.ceil(count / ACCOUNTS_A_BLOCK)));
  dev.voteForLargeBlocks();
  const before = process.cpuUsage();
  for (let first = 0; first < count; first += ACCOUNTS_A_BLOCK) {
    for (let number = first; number < Math.min(first + ACCOUNTS_A_BLOCK, count); number++) create(dev, number);
    dev.seal();
  }
  const { user, system } = process.cpuUsage(before);
  await dev.close({ keep: true });
  const note = `blocks of ${ACCOUNTS_A_BLOCK}, not synced, no signatures`;
  return row(
    `${grouped(count)} accounts created`,
    'account_create, built, applied and sealed',
    { work: count, cpuMicros: user + system },
    { note },
  );
}

function create(dev: DevChain, number: number): void {
  const creator = devAccounts[number % devAccounts.length] ?? '';
  const key = devKeyOfCached(creator);
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1] as const] };
  const fee = { amount: CREATION_FEE, symbol: dev.parameters.coinSymbol };
  const body = { fee, creator, name_seed: `account ${number}`, owner: authority, active: authority, memo_key: key, json_metadata: '' };
  dev.chain.accept(dev.proved(accountCreate.of(body), creator));
}

const keys = new Map<string, string>();

function devKeyOfCached(name: string): string {
  const key = keys.get(name) ?? devKeyOf(name);
  keys.set(name, key);
  return key;
}

function startRow(node: DevNode, elapsedMs: number, count: number): Row {
  const note = `${elapsedMs.toFixed(0)} ms of wall time from the start of the process to the answer of a get_account, ${grouped(count)} accounts`;
  return row(
    'start to first answer, existing chain',
    'start',
    { work: 1, cpuMicros: node.cpuMicros() },
    { budget: { perCpuSecond: 1 }, note },
  );
}

async function readRow(node: DevNode, dataFolder: string, count: number, asked: number): Promise<Row> {
  const bodies = Array.from({ length: asked }, (_, id) => {
    const account_name = seededName(Math.trunc(Math.random() * count));
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'alexandria_api.get_account', params: { account_name } });
  });
  const file = join(dataFolder, 'bodies');
  writeFileSync(file, bodies.join('\n'));
  const [answer] = await node.client.callMany('alexandria_api.get_account', [{ account_name: seededName(count - 1) }]);
  assert(answer !== undefined && 'result' in answer, 'the last account is there');
  const cost = await measured(node, { connections: 64, atOnce: 1 }, asked, `@${file}`);
  const { peak, now } = node.memory();
  const note = `64 connections; memory of the node ${Math.round(now / MIB)} MiB, at most ${Math.round(peak / MIB)} MiB`;
  return row(`get_account, random of ${grouped(count)}`, 'alexandria_api.get_account', cost, { budget: { perCpuSecond: 40_000 }, note });
}
