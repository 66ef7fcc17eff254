import { setTimeout as sleep } from 'node:timers/promises';
import { member, type RpcClient } from './rpc_client.ts';

const METHOD = 'alexandria_api.get_transaction';
/** How many ids one batch asks for: what a node takes at most. */
const BATCH = 100;
/** Between two looks at whether the last one is in a block: nothing against a block's time, nothing for the node to do. */
const LOOK_MS = 50;
/** Blocks come in seconds; this long without the last transaction in one, and it is not coming. */
const PATIENCE_MS = 120_000;

/** Where transactions were found. */
export interface Found {
  readonly count: number;
  readonly firstBlock: number;
  readonly lastBlock: number;
}

/** Waits until the transaction is in a block; false when it takes too long. */
export async function waitForBlock(client: RpcClient, id: string): Promise<boolean> {
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const [answer] = await client.callMany(METHOD, [{ tx_id: id }]);
    if (answer !== undefined && blockOf(answer) !== undefined) return true;
  }
  return false;
}

/** Looks each transaction up: only what the node shows in a block counts. */
export async function countInBlocks(client: RpcClient, ids: readonly string[]): Promise<Found> {
  let count = 0;
  let firstBlock = Infinity;
  let lastBlock = 0;
  for (let from = 0; from < ids.length; from += BATCH) {
    const answers = await client.callMany(
      METHOD,
      ids.slice(from, from + BATCH).map((tx_id) => ({ tx_id })),
    );
    for (const block of answers.map(blockOf).filter((number) => number !== undefined)) {
      count++;
      firstBlock = Math.min(firstBlock, block);
      lastBlock = Math.max(lastBlock, block);
    }
  }
  return { count, firstBlock: count === 0 ? 0 : firstBlock, lastBlock };
}

function blockOf(answer: object): number | undefined {
  const block = member(member(member(answer, 'result'), 'tx'), 'block_num');
  return typeof block === 'number' && block > 0 ? block : undefined;
}
