import { batch, computed, signal } from '@preact/signals';
import type { Client, FollowedBlock, Result } from '../../client/index.ts';
import { BlockTimes } from '../../client/block_times.ts';
import { readConstant } from './constants.ts';
import { readFinality, type FinalSince, type Finality } from './finality.ts';
import { ask, chainConfig, isSilence, noteAnswer, watchNode } from './node_link.tsx';
import { isObject, optionalNodePage } from './node_page.ts';
import type { SeenBlock } from '../../client/slots.ts';

/** The slots of a whole round of the largest schedule, which is how many the strip shows. */
export const STRIP_SLOTS = 51;
/** So many blocks are kept in view. */
const KEPT_BLOCKS = 60;
const USUAL_INTERVAL_SECONDS = 3;
const MS_PER_SECOND = 1000;
/** The head is asked for at most so often in the long run, however fast a development chain makes blocks. */
const HEAD_MS = 500;
/** So often one after another, when it was quiet before: a view that opens does not wait. */
const HEAD_BURST = 3;
/** Answers of one view that come within this time are shown with one head. */
const GATHER_MS = 20;

type Properties = Result<'alexandria_api.get_dynamic_global_properties'>['properties'];
type Schedule = Result<'database_api.get_witness_schedule'>;

/** The chain as the whole page knows it. */
export interface Chain {
  readonly id: string;
  readonly intervalSeconds: number;
  readonly coin: string;
  readonly config: unknown;
}

export const chain = signal<Chain | undefined>(undefined);
export const head = signal<Properties | undefined>(undefined);
export const schedule = signal<Schedule | undefined>(undefined);
/** The state of votes; undefined when confirmations make blocks irreversible. */
export const finality = signal<Finality | undefined>(undefined);
/** The latest blocks, ascending. A block comes before the head that has it. */
export const blocks = signal<readonly SeenBlock[]>([]);
/** Blocks below the head that came: they are shown together, so that the page is drawn once for all of them. */
let coming: readonly SeenBlock[] = [];
/** When the head that is shown came, by this machine's clock; undefined for one from before the page was opened. */
export const lastCameMs = signal<number | undefined>(undefined);
/** The chain's time at the head, by which ages are told: a development chain's may be years ahead. */
export const chainTime = computed(() => head.value?.time ?? new Date().toISOString().slice(0, 19));
/** The number of the head, for whoever asks anew with each block. */
export const headNumber = computed(() => head.value?.head_block_number ?? 0);

/** False until the first head has come, or was refused: what was asked before would be asked again with the head. */
export const hasLooked = signal(false);

/** Goes up when blocks are undone: what was asked above it is asked anew. */
export const setbacks = signal(0);
export const blockTimes = new BlockTimes(() => setbacks.peek());

/** The times at which blocks became irreversible while the page was open, by the time of the head; ascending. */
export const finalities = signal<readonly FinalSince[]>([]);
/** So many of those are kept. */
const KEPT_FINALITIES = 500;

let most = Infinity;
/** Until the node has told that it has none. */
let mayHaveFinality = true;
let headTimer: ReturnType<typeof setTimeout> | undefined;
let nextLookMs = -Infinity;
/** These are shown together with the next head that is asked for. */
let shownWithHead: Waiting[] = [];

/** An answer that waits for a head; void once blocks that it may tell of are undone. */
interface Waiting {
  readonly setback: number;
  readonly show: () => void;
}

/** Follows the chain for as long as the page is open. Resolves once it does; throws what `ask` throws. */
export async function followChain(): Promise<void> {
  watchNode((chain.value?.intervalSeconds ?? USUAL_INTERVAL_SECONDS) * MS_PER_SECOND);
  await ask(beginToFollow).catch((error: unknown) => {
    // Each view then tells what it is refused itself.
    if (!isSilence(error)) hasLooked.value = true;
    throw error;
  });
}

async function beginToFollow(client: Client): Promise<void> {
  const config = chainConfig();
  const { chainId: id, symbols } = client;
  const intervalSeconds = readConstant(config, 'BLOCK_INTERVAL') ?? USUAL_INTERVAL_SECONDS;
  chain.value = { id, intervalSeconds, coin: symbols.coinSymbol, config };
  watchNode(intervalSeconds * MS_PER_SECOND);
  mayHaveFinality = true;
  await lookAtHead(client);
  await followBlocks(client, Math.max(1, headNumber.value - STRIP_SLOTS + 1));
}

async function lookAtHead(client: Client): Promise<void> {
  nextLookMs = Math.max(nextLookMs, Date.now() - (HEAD_BURST - 1) * HEAD_MS) + HEAD_MS;
  const waiting = shownWithHead;
  shownWithHead = [];
  const showAll = (): void => waiting.forEach(({ setback, show }) => void (setback === setbacks.peek() && show()));
  try {
    const [{ properties }, round, votes] = await Promise.all([
      client.call('alexandria_api.get_dynamic_global_properties', {}),
      client.call('database_api.get_witness_schedule', {}),
      askForFinality(),
    ]);
    batch(() => {
      finality.value = votes;
      // Views of the head and the round are not drawn again for the same ones.
      if (!isShown(properties)) {
        showHead(properties);
        schedule.value = round;
      }
      hasLooked.value = true;
      showAll();
    });
  } catch (error) {
    // A node that is gone is asked again, by whoever shows something, once it is back.
    if (!isSilence(error)) showAll();
    throw error;
  }
}

function isShown({ head_block_id: id, last_irreversible_block_num: final }: Properties): boolean {
  return id === head.peek()?.head_block_id && final === head.peek()?.last_irreversible_block_num;
}

/** Reads the page of the node that tells of votes. */
async function askForFinality(): Promise<Finality | undefined> {
  if (!mayHaveFinality) return undefined;
  const found = await optionalNodePage('Votes that make blocks final', 'health', (json) =>
    isObject(json) ? { finality: readFinality(json) } : undefined,
  );
  mayHaveFinality = found === undefined || found.finality !== undefined;
  return found?.finality;
}

function showHead(properties: Properties): void {
  const [before, now] = [head.value?.head_block_number, properties.head_block_number];
  if (before !== undefined && now > before) lastCameMs.value = Date.now();
  if (before !== undefined && now < before) setbacks.value++;
  const final = properties.last_irreversible_block_num;
  if (head.value !== undefined && final > head.value.last_irreversible_block_num)
    finalities.value = [...finalities.value, { block: final, time: properties.time }].slice(-KEPT_FINALITIES);
  else if (head.value === undefined) finalities.value = [{ block: final, time: '' }];
  head.value = properties;
}

/**
 * Shows an answer together with a head that was asked for later, so that no list is ahead of the head that the page
 * names.
 */
export function showWithHead(client: Client, show: () => void): void {
  shownWithHead.push({ setback: setbacks.peek(), show });
  askForHead(client);
}

/** From an earlier block on where the node still has it, otherwise from now on. */
async function followBlocks(client: Client, from: number | undefined): Promise<void> {
  await client.followBlocks(
    { startBlock: from },
    {
      block: (block) => take(client, block),
      undone: ({ number }) => {
        batch(() => {
          blocks.value = blocks.value.filter((each) => each.number <= number);
          coming = coming.filter((each) => each.number <= number);
          setbacks.value++;
        });
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
  const lateMs = isNew ? Math.max(0, behindMs - most) : undefined;
  coming = [
    ...coming.filter((each) => each.number < number),
    { number, timestamp, witness, transaction_count, lateMs },
  ];
  if (number < headNumber.value) return;
  const first = coming[0]?.number ?? number;
  blocks.value = [...blocks.value.filter((each) => each.number < first), ...coming].slice(-KEPT_BLOCKS);
  coming = [];
  askForHead(client);
}

function askForHead(client: Client): void {
  const waitMs = Math.min(HEAD_MS, Math.max(GATHER_MS, nextLookMs - Date.now()));
  headTimer ??= setTimeout(() => {
    headTimer = undefined;
    void lookAtHead(client).catch(() => undefined); // the next block asks again
  }, waitMs);
}
