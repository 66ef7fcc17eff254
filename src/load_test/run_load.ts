import { Fault } from '../base/fault.ts';
import { randomBytes } from '../crypto/random.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { fetchFacts, fetchHead } from './chain_facts.ts';
import { countInBlocks, nextHead, waitForBlock, type Found } from './in_blocks.ts';
import { postBodies, type Posting } from './post_bodies.ts';
import { readCpuMicros, findListener, readThreadCpuMicros } from './process_cpu.ts';
import { LoadedNode } from './loaded_node.ts';
import { signInThreads } from './sign_in_threads.ts';
import type { Sender, SignedBody } from './signing_request.ts';

/** The load to send, and its destination. */
export interface LoadSettings {
  readonly url: string;
  readonly profileName: string;
  readonly senders: readonly Sender[];
  readonly count: number;
  /** Transfers in one post. */
  readonly batch: number;
  readonly connections: number;
  /** As in signing_request.ts. */
  readonly memo?: string;
  /** Threads that sign before timing starts. */
  readonly threads: number;
  /**
   * The node's process id if known; otherwise the process that listens on the port is used, if the node is on this
   * machine.
   */
  readonly pid: number | undefined;
  /** `isStep` is false for a step that goes on. */
  readonly progress: (done: string, isStep?: boolean) => void;
}

/** The results of a load run. */
export interface LoadReport {
  readonly posting: Posting;
  /** Looked up one by one after timing has stopped. */
  readonly found: Found;
  /** From the first post until the last accepted transfer was in a block. */
  readonly elapsedMs: number;
  /** CPU time that the node used meanwhile; undefined where it can't be determined. */
  readonly serverCpuMicros: number | undefined;
  /** The same by thread: the main thread first, the others by usage, descending. */
  readonly threadCpuMicros: readonly number[];
  readonly pid: number | undefined;
  /** In bytes, at the end of the run. */
  readonly maximumBlockSize: number;
}

/** Transactions must not expire during signing and posting, and a chain whose time runs ahead shortens this. */
const LIFETIME_SECONDS = MAX_SECONDS_UNTIL_EXPIRATION - 60;
/** The random part of the first amount: two loads on one chain have no transfer in common. At most 4.3 coins. */
const RANDOM_AMOUNT_BYTES = 4;

/** Behind the block with the last transfer; what is in none of these is lost. */
const MORE_BLOCKS = 10;

/** Signs everything, then posts it and counts what is in blocks. Throws a Fault when the node can't be reached. */
export async function runLoad(settings: LoadSettings): Promise<LoadReport> {
  const client = new LoadedNode(settings.url);
  const bodies = await signAll(settings, client);
  const pid = settings.pid ?? localListener(client.url);
  settings.progress(`posting ${settings.count} transfers`);
  const { number: headBefore } = await fetchHead(client);
  const threadsBefore = readThreadCpuMicros(pid ?? 0);
  const cpuBefore = pid === undefined ? undefined : readCpuMicros(pid);
  const startedMs = performance.now();
  const posting = await postBodies(client, bodies, settings.connections);
  settings.progress(`accepted ${posting.accepted.length}, waiting for blocks`);
  const last = posting.accepted.at(-1);
  let headAfter = last === undefined ? headBefore : await waitForBlock(client, last);
  let elapsedMs = performance.now() - startedMs;
  const threadCpuMicros = growth(threadsBefore, readThreadCpuMicros(pid ?? 0));
  const cpuAfter = pid === undefined ? undefined : readCpuMicros(pid);
  if (headAfter === undefined) throw new Fault('runtime', 'accepted transfers do not get into blocks');
  settings.progress('looking up what is in blocks');
  let found = await countInBlocks(client, posting.accepted, headBefore + 1, headAfter);
  // On their way over several nodes transactions change places.
  for (let more = 0; found.count < posting.accepted.length && more < MORE_BLOCKS; more++) {
    const before: number = headAfter;
    headAfter = await nextHead(client, before);
    if (headAfter === before) break;
    elapsedMs = performance.now() - startedMs;
    found = await countInBlocks(client, posting.accepted, headBefore + 1, headAfter);
  }
  const serverCpuMicros = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
  return {
    posting,
    found,
    elapsedMs,
    serverCpuMicros,
    threadCpuMicros,
    pid,
    maximumBlockSize: (await fetchHead(client)).maximumBlockSize,
  };
}

async function signAll(
  { profileName, senders, count, batch, memo = '', threads, progress }: LoadSettings,
  client: LoadedNode,
): Promise<SignedBody[]> {
  const { chainId, head, fee } = await fetchFacts(client, profileNamed(profileName));
  const random = Buffer.from(randomBytes(RANDOM_AMOUNT_BYTES)).readUInt32LE();
  const order = {
    profileName,
    chainId,
    fee,
    senders,
    count,
    batch,
    memo,
    referenceBlockId: head.referenceId,
    expiration: head.time + LIFETIME_SECONDS,
    firstAmount: BigInt(random) + 1n,
    first: 0,
  };
  return await signInThreads(order, threads, (signed) => progress(`signed ${signed} of ${count}`, false));
}

/** The main thread's id is the process id, which is the lowest. */
function growth(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number[] {
  const [main = 0, ...others] = [...after].sort(([a], [b]) => a - b).map(([id, used]) => used - (before.get(id) ?? 0));
  return [main, ...others.sort((a, b) => b - a)];
}

function localListener({ hostname, port, protocol }: URL): number | undefined {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return undefined;
  return findListener(port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));
}

/** The value below which that share of an ascending list lies; 0 for an empty list. */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.trunc(ascending.length * share))] ?? 0;
}
