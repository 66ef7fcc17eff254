import { secondsText, toSeconds } from './chain_time.ts';

/** A block, as the node tells of it when it comes. */
export interface SeenBlock {
  readonly number: number;
  readonly timestamp: string;
  readonly witness: string;
  readonly transaction_count: number;
  /**
   * The milliseconds between the most punctual block that this page has seen and this one; undefined for earlier
   * blocks.
   */
  readonly lateMs?: number | undefined;
}

/** The running round. */
export interface Round {
  readonly witnesses: readonly string[];
  /** The block with which the next one begins. */
  readonly nextShuffle: number;
}

/** The head of the chain, by its slots. */
export interface HeadSlot {
  readonly time: string;
  /** The number of its slot since the chain began. */
  readonly slot: number;
  readonly intervalSeconds: number;
}

/** A slot, and what became of it. */
export interface Slot {
  readonly time: string;
  /** The witness of the slot; '' when the round was another one and its order is not known here. */
  readonly witness: string;
  /** Undefined when it was missed. */
  readonly block: SeenBlock | undefined;
}

/**
 * The last slots up to the head's, oldest first. Blocks say who made them; who missed a slot follows from the order of
 * the running round, so for slots of earlier rounds it is not known. Slots before the first block that is given are
 * left out.
 */
export function lastSlots(blocks: readonly SeenBlock[], head: HeadSlot, round: Round, count: number): Slot[] {
  const headSeconds = toSeconds(head.time);
  const byTime = new Map(blocks.map((block) => [toSeconds(block.timestamp), block]));
  const first = Math.min(...byTime.keys());
  const begins = roundBegins(blocks, head, round);
  const slots: Slot[] = [];
  for (let back = count - 1; back >= 0; back--) {
    const seconds = headSeconds - back * head.intervalSeconds;
    if (seconds < first) continue;
    const block = byTime.get(seconds);
    const own = round.witnesses[(head.slot - back) % Math.max(1, round.witnesses.length)] ?? '';
    slots.push({ time: secondsText(seconds), witness: block?.witness ?? (seconds > begins ? own : ''), block });
  }
  return slots;
}

/** The time of the last block of the round before; later slots are in the order of this one. */
function roundBegins(blocks: readonly SeenBlock[], head: HeadSlot, { witnesses, nextShuffle }: Round): number {
  if (witnesses.length <= 1) return -Infinity;
  const last = nextShuffle - witnesses.length;
  const block = blocks.find(({ number }) => number === last);
  return block === undefined ? toSeconds(head.time) : toSeconds(block.timestamp);
}

/** Describes a slot in words, for people who do not see colours or who hear the page. */
export function slotText({ time, witness, block }: Slot): string {
  const at = `slot of ${time.slice(11)}`;
  if (block === undefined) return `${at}: missed${witness === '' ? '' : ` by ${witness}`}`;
  const late =
    block.lateMs === undefined ? '' : `, ${(block.lateMs / 1000).toFixed(1)} s later than the most punctual one`;
  return `${at}: block ${block.number} by ${witness}${late}`;
}

/**
 * The witnesses of the next slots, as far as the running round has them: its order is known, and that of the next one
 * is drawn with its last block.
 */
export function nextWitnesses(head: HeadSlot & { readonly number: number }, round: Round, count: number): string[] {
  const { length } = round.witnesses;
  const left = Math.min(count, Math.max(0, round.nextShuffle - head.number));
  return Array.from({ length: length === 0 ? 0 : left }, (_, k) => round.witnesses[(head.slot + k + 1) % length] ?? '');
}

/** The running round: its slots so far, and who follows. */
export interface RoundCourse {
  /** Oldest first; undefined when the round began before the blocks that are known here. */
  readonly done: readonly Slot[] | undefined;
  /** The witnesses of the slots that are left, if none of them is missed. */
  readonly coming: readonly string[];
}

/** A round is as long as the longest schedule; missed slots make it longer. */
const MOST_SLOTS = 400;

/**
 * Finds the slots of the running round that have passed. `lastBlock` ends the round: it has one block for each place of
 * a witness, and the witnesses take turns where there are fewer of them.
 */
export function roundCourse(
  blocks: readonly SeenBlock[],
  head: HeadSlot & { readonly number: number },
  round: Round,
  lastBlock: number,
): RoundCourse {
  const { length } = round.witnesses;
  const last = round.nextShuffle - length;
  const isKnown =
    blocks.some(({ number }) => number === last) || (last === 0 && blocks.some(({ number }) => number === 1));
  const begins = last === 0 ? -Infinity : roundBegins(blocks, head, round);
  const done = isKnown
    ? lastSlots(blocks, head, round, MOST_SLOTS).filter(({ time }) => toSeconds(time) > begins)
    : undefined;
  const left = Math.max(0, lastBlock - head.number);
  return { done, coming: nextWitnesses(head, { ...round, nextShuffle: lastBlock }, left) };
}

/** Slots of the last 128 that have a block, in percent, and how many slots that are: a young chain had fewer. */
export function slotsFilled({
  participation_count: filled,
  current_aslot,
}: {
  readonly participation_count: number;
  readonly current_aslot: bigint;
}): { readonly slots: number; readonly percent: number } {
  const slots = Math.min(Number(current_aslot), WATCHED_SLOTS);
  // Slots from before the chain count as filled.
  return { slots, percent: slots === 0 ? 0 : Math.round(((filled - WATCHED_SLOTS + slots) / slots) * 100) };
}

const WATCHED_SLOTS = 128;
