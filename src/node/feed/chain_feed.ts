import type { ChainChange } from '../../chain/chain_change.ts';
import type { PackedBlock } from '../../blocks/block.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { BlockId } from '../../values/hash.ts';
import type { Seconds } from '../../values/time.ts';
import { PacedPort } from './paced_port.ts';

/** A block by what its followers need to find it, and its transactions, in committed rows. */
export interface FeedBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly time: Seconds;
  readonly witness: AccountName;
  /** 20 bytes a transaction, in the order of the block. */
  readonly transactionIds: Uint8Array;
}

/** Where the chain stands after a write. */
export interface FeedHead {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  /** The last block that can't be taken back any more. */
  readonly irreversible: number;
}

/** What one write changed in the main branch, which readers see by then. */
export interface ChainUpdate {
  readonly kind: 'update';
  /** Blocks that left it, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that are new on it, oldest first. */
  readonly applied: readonly FeedBlock[];
  readonly head: FeedHead;
}

/** What a follower missed that had fallen behind: committed rows have the rest. */
export interface ChainGap {
  readonly kind: 'gap';
  /** Of what it was told, blocks up to this number still stand; there may be others above. */
  readonly keptNumber: number;
  readonly head: FeedHead;
}

export type ChainMessage = ChainUpdate | ChainGap;

/** Whoever hears of the chain: all of it, or that there is a gap. */
export interface ChainFollower {
  takeUpdate(update: ChainUpdate): void;
  takeGap(gap: ChainGap): void;
}

/** Three minutes of blocks, or some hundred full ones: a follower that has not taken so much reads rows faster than messages. */
const PACE = { messages: 64, bytes: 4 * 1024 * 1024 };
const BLOCK_BYTES = 128; // of its message, without ids

type ChainPort = PacedPort<ChainMessage, ChainGap>;

/** Tells any number of followers what each write changed, each at its own pace. */
export class ChainFeed {
  readonly #ports = new Set<ChainPort>();

  /** A new follower; it hears of what is written from now on. The result is called when it has taken a message. */
  add(send: (message: ChainMessage) => void): () => void {
    const port: ChainPort = new PacedPort(send, PACE, widen);
    this.#ports.add(port);
    return () => port.taken();
  }

  publish(change: ChainChange, head: FeedHead): void {
    const { message, bytes } = messageOf(change, head);
    for (const port of this.#ports) port.offer(message, bytes);
  }
}

/** A gap when there are more blocks than a message should carry: a long branch has become the main one. */
function messageOf({ undone, applied }: ChainChange, head: FeedHead): { readonly message: ChainMessage; readonly bytes: number } {
  const blocks: FeedBlock[] = [];
  let bytes = 0;
  for (const block of applied) {
    const described = describe(block);
    bytes += described.transactionIds.length + BLOCK_BYTES;
    // The first one says where the change begins.
    if (blocks.length === 0 || bytes <= PACE.bytes) blocks.push(described);
  }
  if (bytes > PACE.bytes) return { message: { kind: 'gap', keptNumber: keptNumber(undone, blocks, head), head }, bytes: 0 };
  return { message: { kind: 'update', undone, applied: blocks, head }, bytes };
}

function describe({ number, id, header, transactions }: PackedBlock): FeedBlock {
  const transactionIds = Buffer.from(transactions.map((transaction) => transaction.id).join(''), 'hex');
  return { number, id, previous: header.previous, time: header.timestamp, witness: header.witness, transactionIds };
}

const NUMBER_DIGITS = 8; // an id begins with the number of its block

/** The block on which a change begins. */
function keptNumber([undone]: readonly BlockId[], [applied]: readonly FeedBlock[], head: FeedHead): number {
  if (undone !== undefined) return Number.parseInt(undone.slice(0, NUMBER_DIGITS), 16) - 1;
  return (applied?.number ?? head.number + 1) - 1;
}

function widen(gap: ChainGap | undefined, message: ChainMessage): ChainGap {
  const kept = message.kind === 'gap' ? message.keptNumber : keptNumber(message.undone, message.applied, message.head);
  return { kind: 'gap', keptNumber: Math.min(gap?.keptNumber ?? kept, kept), head: message.head };
}
