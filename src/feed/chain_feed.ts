import type { ChainChange } from '../chain/forks/chain_change.ts';
import type { PackedBlock } from '../blocks/block.ts';
import { idOf } from '../blocks/transaction.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId, Digest } from '../values/hash.ts';
import type { Seconds } from '../values/time.ts';
import { WindowedPort } from './windowed_port.ts';

/** The facts from which followers find a block and its transactions in committed rows. */
export interface FeedBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly time: Seconds;
  readonly witness: AccountName;
  /** 20 bytes per transaction, in the order of the block. */
  readonly transactionIds: Uint8Array;
}

/** The head of the chain after a write. */
export interface FeedHead {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  /** The number of the last irreversible block. */
  readonly irreversible: number;
  /** Of the state behind it. */
  readonly stateHash?: Digest;
}

/** The changes of one write to the main branch, which readers already see. */
export interface ChainUpdate {
  readonly kind: 'update';
  /** Blocks that left the main branch, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that are new on the main branch, oldest first. */
  readonly applied: readonly FeedBlock[];
  readonly head: FeedHead;
}

/** Says that a slow follower missed updates; it can read them from committed rows. */
export interface ChainGap {
  readonly kind: 'gap';
  /** Of the blocks already reported, those up to this number are still valid; later ones may have been replaced. */
  readonly keptNumber: number;
  readonly head: FeedHead;
}

export type ChainMessage = ChainUpdate | ChainGap;

/** A follower of the chain: it receives every update, or a gap in their place. */
export interface ChainFollower {
  takeUpdate(update: ChainUpdate): void;
  takeGap(gap: ChainGap): void;
}

/**
 * Three minutes of blocks, or about a hundred full ones: a follower this far behind catches up faster by reading rows.
 */
const WINDOW = { messages: 64, bytes: 4 * 1024 * 1024 };
const BLOCK_BYTES = 128; // of its message, without transaction ids
/** More in one write come from a sync, and whoever wants one of them reads it. */
const MOST_BLOCKS = 256;

type ChainPort = WindowedPort<ChainMessage, ChainGap>;

/** Notifies any number of followers of what each write changed, each at its own speed. */
export class ChainFeed {
  readonly #ports = new Set<ChainPort>();

  /** Adds a follower of everything written from now on. Call the result each time it has taken a message. */
  add(send: (message: ChainMessage) => void): () => void {
    const port: ChainPort = new WindowedPort(send, WINDOW, widen);
    this.#ports.add(port);
    return () => port.taken();
  }

  publish(change: ChainChange, head: FeedHead): void {
    const { message, bytes } = makeMessage(change, head);
    for (const port of this.#ports) port.offer(message, bytes);
  }
}

/**
 * The message for a change; a gap when there are more blocks than a message should carry, as when a long branch becomes
 * the main one.
 */
function makeMessage(
  { undone, applied }: ChainChange,
  head: FeedHead,
): { readonly message: ChainMessage; readonly bytes: number } {
  const blocks: FeedBlock[] = [];
  let [bytes, isLong] = [0, false];
  for (const block of applied) {
    if (isLong) continue;
    const described = describe(block);
    bytes += described.transactionIds.length + BLOCK_BYTES;
    isLong = bytes > WINDOW.bytes || blocks.length >= MOST_BLOCKS;
    // The first one tells where the change begins.
    if (blocks.length === 0 || !isLong) blocks.push(described);
  }
  if (isLong) return { message: { kind: 'gap', keptNumber: keptNumber(undone, blocks, head), head }, bytes: 0 };
  return { message: { kind: 'update', undone, applied: blocks, head }, bytes };
}

function describe({ number, id, header, transactions }: PackedBlock): FeedBlock {
  const transactionIds = Buffer.from(transactions.map(idOf).join(''), 'hex');
  return { number, id, previous: header.previous, time: header.timestamp, witness: header.witness, transactionIds };
}

const NUMBER_DIGITS = 8; // an id begins with the number of its block

/** The number of the last block before a change. */
function keptNumber([undone]: readonly BlockId[], [applied]: readonly FeedBlock[], head: FeedHead): number {
  if (undone !== undefined) return Number.parseInt(undone.slice(0, NUMBER_DIGITS), 16) - 1;
  return (applied?.number ?? head.number + 1) - 1;
}

function widen(gap: ChainGap | undefined, message: ChainMessage): ChainGap {
  const kept = message.kind === 'gap' ? message.keptNumber : keptNumber(message.undone, message.applied, message.head);
  return { kind: 'gap', keptNumber: Math.min(gap?.keptNumber ?? kept, kept), head: message.head };
}
