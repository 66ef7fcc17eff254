import { batch, computed, signal } from '@preact/signals';
import type { Client, FollowedBlock, Result } from '../../client/index.ts';
import { constantIn } from './constants.ts';
import { ask, noteAnswer, watchNode } from './node_link.tsx';
import type { SeenBlock } from './slots.ts';

/** The slots of a whole round of the largest schedule, which is how many the strip shows. */
export const STRIP_SLOTS = 51;
/** So many blocks are kept in view. */
const KEPT_BLOCKS = 60;
const USUAL_INTERVAL_SECONDS = 3;
const MS_PER_SECOND = 1000;
/** The head is asked for at most so often, however fast a development chain makes blocks. */
const HEAD_MS = 500;

type Properties = Result<'alexandria_api.get_dynamic_global_properties'>['properties'];
type Schedule = Result<'database_api.get_witness_schedule'>;

/** What the whole page knows of the chain. */
export interface Chain {
  readonly id: string;
  readonly intervalSeconds: number;
  readonly coin: string;
  readonly config: unknown;
}

export const chain = signal<Chain | undefined>(undefined);
export const head = signal<Properties | undefined>(undefined);
export const schedule = signal<Schedule | undefined>(undefined);
/** The latest blocks, ascending. A block comes before the head that has it. */
export const blocks = signal<readonly SeenBlock[]>([]);
/** When the last block came, by this machine's clock. */
export const lastCameMs = signal<number | undefined>(undefined);
/** The chain's time at the head, by which ages are told: a development chain's may be years ahead. */
export const chainTime = computed(() => head.value?.time ?? new Date().toISOString().slice(0, 19));
/** The number of the head, for whoever asks anew with each block. */
export const headNumber = computed(() => head.value?.head_block_number ?? 0);

let most = Infinity;
let headTimer: ReturnType<typeof setTimeout> | undefined;

/** Follows the chain for as long as the page is open. Resolves once it does; throws what `ask` throws. */
export async function followChain(): Promise<void> {
  await ask(async (client) => {
    const config = await client.call('database_api.get_config', {});
    const { chainId: id, words } = client;
    const intervalSeconds = constantIn(config, 'BLOCK_INTERVAL') ?? USUAL_INTERVAL_SECONDS;
    chain.value = { id, intervalSeconds, coin: words.coinSymbol, config };
    watchNode(intervalSeconds * MS_PER_SECOND);
    await lookAtHead(client);
    await followBlocks(client, Math.max(1, headNumber.value - STRIP_SLOTS + 1));
  });
}

async function lookAtHead(client: Client): Promise<void> {
  const [{ properties }, round] = await Promise.all([
    client.call('alexandria_api.get_dynamic_global_properties', {}),
    client.call('database_api.get_witness_schedule', {}),
  ]);
  batch(() => {
    head.value = properties;
    schedule.value = round;
  });
}

/** From an earlier block on where the node still has it, otherwise from now on. */
async function followBlocks(client: Client, from: number | undefined): Promise<void> {
  await client.followBlocks(
    { startBlock: from },
    {
      block: (block) => take(client, block),
      undone: ({ number }) => {
        blocks.value = blocks.value.filter((each) => each.number <= number);
        askForHead(client);
      },
      failed: () => void (from !== undefined && followBlocks(client, undefined)),
    },
  );
}

/** Blocks from before the page was opened come at once: nothing says when they came. */
function take(client: Client, { number, timestamp, witness, transaction_count }: FollowedBlock): void {
  noteAnswer();
  const isNew = number > headNumber.value || blocks.value.length >= STRIP_SLOTS;
  const behindMs = Date.now() - Date.parse(`${timestamp}Z`);
  if (isNew) most = Math.min(most, behindMs);
  const seen: SeenBlock = { number, timestamp, witness, transaction_count, lateMs: isNew ? Math.max(0, behindMs - most) : undefined };
  batch(() => {
    blocks.value = [...blocks.value.filter((each) => each.number < number), seen].slice(-KEPT_BLOCKS);
    if (isNew) lastCameMs.value = Date.now();
  });
  if (number >= headNumber.value) askForHead(client);
}

function askForHead(client: Client): void {
  headTimer ??= setTimeout(() => {
    headTimer = undefined;
    void lookAtHead(client).catch(() => undefined); // the next block asks again
  }, HEAD_MS);
}
