import type { SignedBlockHeader } from '../../blocks/header.ts';
import type { BlockId } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { BlockRebuild } from './block_rebuild.ts';
import { MOST_MISSING } from '../../wire/messages/missing_request.ts';
import type { Peer } from '../peers/peer.ts';

/** The form in which a peer is asked for a block. */
export type Wanted = 'compact' | 'missing' | 'whole';

export interface AskedPeer {
  readonly peer: Peer;
  readonly what: Wanted;
  readonly atMs: number;
  readonly receivedBefore: number;
}

/** A block as somebody has sent it. */
export interface SentBlock {
  readonly peer: Peer;
  readonly header: SignedBlockHeader;
  readonly atMs: number;
  /** Six bytes for each transaction, or all of the block. */
  readonly shortIds?: Uint8Array | undefined;
  readonly packed?: Uint8Array | undefined;
}

const MOST_ANNOUNCERS = 8;
/** A liar's short ids must not keep those of others out. */
const MOST_SENT = 3;
const MOST_MISSING_TRIES = 2;
/** When more are missing, all of them come sooner together. */
const LARGEST_MISSING_SHARE = 3;

const SMALL_MS = 500;
const WHOLE_MS = 1000;
const WHOLE_BYTES_PER_MS = (4 * 1024 * 1024) / 1000;

/** A block that somebody has and this node does not: who has it, who was asked for what, and what has come of it. */
export class BlockWant {
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly bytes: number;
  /** Peers that have the block and have not been asked in vain. */
  readonly announcers: Peer[] = [];
  asked: AskedPeer | undefined;
  /** Of a block from the future: when its time comes. */
  dueMs = 0;
  /** True if its witness has signed it: not looked at yet, being looked at, or so. */
  header: 'unknown' | 'judging' | 'right' = 'unknown';
  /** True if its signer is known to be its witness; only such a block is passed on before it is applied. */
  isProven = false;
  signer: PublicKey | undefined;
  /** True if the chain of somebody has taken it whose word the operator takes. */
  isVouchedFor = false;
  /** Received forms of the block that were not tried yet. */
  sent: SentBlock[] = [];
  rebuild: { readonly from: SentBlock; readonly block: BlockRebuild } | undefined;
  #triesOfMissing = 0;
  #isWholeNeeded = false;

  constructor({ id, previous, bytes }: { readonly id: BlockId; readonly previous: BlockId; readonly bytes: number }) {
    this.id = id;
    this.previous = previous;
    this.bytes = bytes;
  }

  addAnnouncer(peer: Peer): void {
    if (this.announcers.length < MOST_ANNOUNCERS && !this.announcers.includes(peer)) this.announcers.push(peer);
  }

  /** Nothing more is expected of a peer. */
  dropAnnouncer(peer: Peer): void {
    const at = this.announcers.indexOf(peer);
    if (at >= 0) this.announcers.splice(at, 1);
  }

  get sentBytes(): number {
    return this.sent.reduce((sum, { shortIds, packed }) => sum + (shortIds?.length ?? 0) + (packed?.length ?? 0), 0);
  }

  /** False for what has come before. */
  addSent(sent: SentBlock): boolean {
    const isKnown = [...this.sent, ...(this.rebuild === undefined ? [] : [this.rebuild.from])].some((other) =>
      isSame(other, sent),
    );
    if (isKnown || this.sent.length >= MOST_SENT) return false;
    this.sent.push(sent);
    return true;
  }

  /** Returns the form to ask the next peer for. */
  nextOf(peer: Peer, takesTransactions: boolean): Wanted {
    if (this.#mayAskForMissing) return 'missing';
    const isCompact = takesTransactions && peer.takesPushes && this.rebuild === undefined && !this.#isWholeNeeded;
    return isCompact ? 'compact' : 'whole';
  }

  get #mayAskForMissing(): boolean {
    if (this.rebuild === undefined || this.#isWholeNeeded || this.#triesOfMissing >= MOST_MISSING_TRIES) return false;
    const { missing, count } = this.rebuild.block;
    return missing.length <= MOST_MISSING && missing.length * LARGEST_MISSING_SHARE <= count;
  }

  noteAsked(asked: AskedPeer): void {
    this.asked = asked;
    if (asked.what === 'missing') this.#triesOfMissing++;
  }

  /** Short ids did not lead to it. */
  needWhole(): void {
    this.#isWholeNeeded = true;
    this.rebuild = undefined;
  }

  isLate({ atMs, what }: AskedPeer, nowMs: number): boolean {
    return nowMs - atMs > (what === 'whole' ? WHOLE_MS + this.bytes / WHOLE_BYTES_PER_MS : SMALL_MS);
  }
}

function isSame(one: SentBlock, other: SentBlock): boolean {
  if (one.shortIds === undefined || other.shortIds === undefined) return false;
  return Buffer.compare(one.shortIds, other.shortIds) === 0;
}
