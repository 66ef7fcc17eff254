import { setTimeout as sleep } from 'node:timers/promises';
import { fetchHead } from './chain_facts.ts';
import { member } from '../client/chain_of_node.ts';
import type { LoadedNode } from './loaded_node.ts';

/** Ids in one batch: the most that a node accepts. */
const BATCH = 100;
/** Interval for polling the head: short compared with a block interval, and no load for the node. */
const LOOK_MS = 50;
/** Blocks come every few seconds; a transaction that is in no block after this time won't be. */
const PATIENCE_MS = 120_000;

/** The blocks of found transactions. */
export interface Found {
  readonly count: number;
  readonly firstBlock: number;
  readonly lastBlock: number;
}

/** Waits until the transaction is in a block and returns the head at that time; undefined when it takes too long. */
export async function waitForBlock(client: LoadedNode, id: string): Promise<number | undefined> {
  let seen = 0;
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const { number } = await fetchHead(client);
    if (number === seen) continue;
    seen = number;
    if ((await fetchBlockNumbers(client, [id])).length > 0) return number;
  }
  return undefined;
}

/** Waits for a head above that one and returns it; the same one when it takes too long. */
export async function nextHead(client: LoadedNode, above: number): Promise<number> {
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const { number } = await fetchHead(client);
    if (number > above) return number;
  }
  return above;
}

/** Finds each transaction in the blocks of that range: only what the node shows in a block counts. */
export async function countInBlocks(
  client: LoadedNode,
  ids: readonly string[],
  first: number,
  last: number,
): Promise<Found> {
  const missing = new Set(ids);
  const numbers: number[] = [];
  for (let block = first; block <= last; block++) {
    for (const id of await fetchIds(client, block)) if (missing.delete(id)) numbers.push(block);
  }
  // Look up by id what is in blocks too large to be returned whole.
  const rest = [...missing];
  for (let from = 0; from < rest.length; from += BATCH)
    numbers.push(...(await fetchBlockNumbers(client, rest.slice(from, from + BATCH))));
  const extreme = (one: (a: number, b: number) => number): number =>
    numbers.reduce((a, b) => one(a, b), numbers[0] ?? 0);
  return { count: numbers.length, firstBlock: extreme(Math.min), lastBlock: extreme(Math.max) };
}

async function fetchIds(client: LoadedNode, block: number): Promise<readonly string[]> {
  const [answer] = await client.callMany('alexandria_api.get_block', [{ num: block }]);
  const ids =
    answer !== undefined && 'result' in answer ? member(member(answer.result, 'block'), 'transaction_ids') : undefined;
  return Array.isArray(ids) ? ids.map(String) : [];
}

async function fetchBlockNumbers(client: LoadedNode, ids: readonly string[]): Promise<number[]> {
  const answers = await client.callMany(
    'alexandria_api.get_transaction',
    ids.map((tx_id) => ({ tx_id })),
  );
  return answers
    .map((answer) => ('result' in answer ? member(member(answer.result, 'tx'), 'block_num') : undefined))
    .filter((block) => typeof block === 'number');
}
