import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { headOf } from '../../src/node/load/chain_facts.ts';
import { postBodies } from '../../src/node/load/post_bodies.ts';
import { member } from '../../src/node/load/rpc_client.ts';
import { percentile } from '../../src/node/load/run_load.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { CONNECTIONS, signedBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';

const BLOCK_MS = 1000;
const POLL_MS = 5;
/** Transfers that are signed while the ones before are posted. */
const AT_ONCE = 10_000;
const READS = 10_000;
const STARTING_MS = 5000;

/**
 * Whether blocks come on their slots while reads and broadcasts keep the node as busy as they can, for as many minutes as
 * PHAROS_BENCH_MINUTES says, one unless said; and how long each thread's event loop stood still at most. Wall time, so on a busy machine
 * it also shows how busy that is; client, signing and node share the cores.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const minutes = quick ? 0.05 : Number(process.env['PHAROS_BENCH_MINUTES'] ?? 1);
  const watched = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const node = await DevNode.start({
    blockIntervalMs: BLOCK_MS,
    flags: ['--import', new URL('../loop_watch.js', import.meta.url).href],
    environment: { PHAROS_BENCH_WATCH: watched, PHAROS_BENCH_WATCH_AFTER_MS: String(STARTING_MS) },
  });
  try {
    const endMs = performance.now() + minutes * 60_000 + (quick ? 0 : STARTING_MS);
    const before = node.cpuMicros();
    const [seen, reads, transfers] = await Promise.all([watchBlocks(node, endMs), readUntil(node, endMs), broadcastUntil(node, endMs)]);
    const measured = { work: transfers, cpuMicros: node.cpuMicros() - before };
    const late = jitter(seen);
    const shares = [0.5, 0.99, 0.999].map((share) => percentile(late, share).toFixed(0));
    const note = `${seen.length} blocks, one every ${BLOCK_MS} ms; off their slots by ${shares.join(', ')} ms (half, 99 %, 99.9 %), seen by polling every ${POLL_MS} ms; beside ${reads} reads; longest stalls ${stalls(watched)}`;
    return [row(`${minutes} minute${minutes === 1 ? '' : 's'} of full load`, 'transfer accepted, reads not counted', measured, { note })];
  } finally {
    await node.stop();
    rmSync(watched, { recursive: true });
  }
}

/** When each block was first seen, by its number. */
async function watchBlocks(node: DevNode, endMs: number): Promise<(readonly [number, number])[]> {
  const seen: (readonly [number, number])[] = [];
  let last = (await headOf(node.client)).number;
  while (performance.now() < endMs) {
    const { number } = await headOf(node.client);
    if (number !== last) seen.push([number, performance.now()]);
    last = number;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return seen;
}

/** How far each block is from its slot, in milliseconds, ascending; the slots are those that fit best. */
function jitter(seen: readonly (readonly [number, number])[]): number[] {
  const offsets = seen.map(([number, atMs]) => atMs - number * BLOCK_MS).sort((a, b) => a - b);
  const slot = percentile(offsets, 0.5);
  return offsets.map((offset) => Math.abs(offset - slot)).sort((a, b) => a - b);
}

async function readUntil(node: DevNode, endMs: number): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'alexandria_api.get_account', params: { account_name: 'alice' } });
  let reads = 0;
  for (; performance.now() < endMs; reads += READS) {
    const client = fork(fileURLToPath(new URL('../http_load.js', import.meta.url)), [node.port, 16, 1, READS, body].map(String));
    assert((await nextEvent(client, 'exit')) === 0, 'every read is answered');
  }
  return reads;
}

async function broadcastUntil(node: DevNode, endMs: number): Promise<number> {
  let accepted = 0;
  let bodies = await signedBodies(node, AT_ONCE);
  while (performance.now() < endMs) {
    const [posting, next] = await Promise.all([postBodies(node.client, bodies, CONNECTIONS), signedBodies(node, AT_ONCE)]);
    accepted += posting.accepted.length;
    bodies = next;
  }
  return accepted;
}

function stalls(folder: string): string {
  const threads = readdirSync(folder).sort();
  return threads
    .map((file) => {
      const held: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      const ms = (name: string): string => Number(member(held, name)).toFixed(0);
      return `${file.replace('.json', '')} ${ms('longest')} ms (99 % below ${ms('p99')})`;
    })
    .join(', ');
}
