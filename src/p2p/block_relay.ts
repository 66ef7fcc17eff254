import { refusals } from '../base/refusal.ts';
import { blockNumberOf, type BlockId } from '../values/hash.ts';
import { summaryOf, type BlockSummary } from './block_summary.ts';
import type { BlockOutcome, ChainNews } from './chain_access.ts';
import type { MessageRouter } from './message_router.ts';
import { block, MOST_BLOCK_BYTES } from './messages/block.ts';
import { blockAnnouncement, type BlockAnnouncement } from './messages/block_announcement.ts';
import { blockRequest, WHOLE } from './messages/block_request.ts';
import { messageNumber } from './messages/index.ts';
import { unavailable } from './messages/unavailable.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import { RecentBlocks } from './recent_blocks.ts';
import { RememberedIds } from './remembered_ids.ts';
import { isBeyondSlots, waitForTime } from './slot_limits.ts';

const refuse = refusals({
  announcement_unlinked: 'block {id} does not follow {previous}',
  announcement_too_big: 'a block of {bytes} bytes is announced',
  announcement_beyond_slots: 'block {number} is announced, more than there have been slots',
});

/** What is announced and not here yet. */
interface Want {
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly bytes: number;
  /** Who announced it and has not been asked in vain. */
  readonly announcers: Peer[];
  asked: { readonly peer: Peer; readonly atMs: number; readonly receivedBefore: number } | undefined;
  /** Of a block from the future: when its time comes. */
  dueMs: number;
}

/** What the relay needs of its neighbours. */
export interface BlockRelayParts {
  readonly outside: Outside;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  /** A peer has a block on its main branch; perhaps one that we can't follow from what we have. */
  readonly claimed: (peer: Peer, number: number, id: BlockId, isUnlinkable: boolean) => void;
  /** A peer has given a block above our head. */
  readonly delivered: (peer: Peer) => void;
  /** While it is, nobody wants to hear of our head. */
  readonly isBehind: () => boolean;
  readonly counts: NetworkCounts;
}

const MOST_WANTED = 64; // blocks of one slot and of what follows it, with all their twins
const MOST_ANNOUNCERS = 8;
const MOST_SUBMITTED = 8; // a parent, its child …: more come when these are done
const MOST_SUBMITTED_BYTES = 64 * 1024 * 1024;
const FETCH_MS = 1000;
const FETCH_BYTES_PER_MS = (4 * 1024 * 1024) / 1000;
const LONGEST_WAIT_MS = 10_000; // a block from further in the future is no clock's mistake
const MOST_TWINS = 2; // a proof of double production, and no flood
const SLOTS_REMEMBERED = 1024;
const ANSWERED_REMEMBERED = 512;
/** Older blocks are asked for by ranges, which are paced. */
const SERVED_DEPTH = 100;

/** Blocks as they are made: announced, fetched whole from who has them, handed to the chain, announced on when they are its head. */
export class BlockRelay {
  readonly #parts: BlockRelayParts;
  readonly #wanted = new Map<BlockId, Want>();
  readonly #submitted = new Set<BlockId>();
  #submittedBytes = 0;
  /** Blocks that were looked at and can't be had. */
  readonly #refused = new RememberedIds(ANSWERED_REMEMBERED);
  readonly #asked = new RememberedIds(ANSWERED_REMEMBERED);
  readonly #blocksOfSlot = new Map<string, number>();
  readonly #recent = new RecentBlocks();

  constructor(parts: BlockRelayParts) {
    this.#parts = parts;
    parts.router.on(blockAnnouncement, (peer, announced) => this.#hear(peer, announced));
    parts.router.on(blockRequest, (peer, { id, form }) => this.#give(peer, id, form));
    parts.router.on(block, (peer, packed) => this.#take(peer, packed));
    parts.router.on(unavailable, (peer, { kind, id }) => {
      if (kind === messageNumber(block)) this.#miss(peer, id);
    });
  }

  /** How many blocks are waited for. */
  get wanted(): number {
    return this.#wanted.size;
  }

  /** Our chain has moved. */
  news({ applied, head }: ChainNews): void {
    for (const id of applied) this.#wanted.delete(id);
    if (!applied.includes(head.id) || this.#parts.isBehind()) return;
    this.#noteDelay('applied', head.time);
    this.#announce(head.id);
  }

  tick(): void {
    const nowMs = this.#nowMs;
    for (const want of this.#wanted.values()) {
      if (want.asked === undefined) this.#ask(want, nowMs);
      else if (nowMs - want.asked.atMs > FETCH_MS + want.bytes / FETCH_BYTES_PER_MS) this.#giveUpOn(want, want.asked);
    }
  }

  left(peer: Peer): void {
    for (const want of this.#wanted.values()) {
      remove(want.announcers, peer);
      if (want.asked?.peer === peer) want.asked = undefined;
      this.#ask(want, this.#nowMs);
    }
  }

  #hear(peer: Peer, { id, previous, bytes }: BlockAnnouncement): void {
    const { outside, claimed } = this.#parts;
    const number = blockNumberOf(id);
    if (blockNumberOf(previous) + 1 !== number) refuse.announcement_unlinked({ id, previous });
    if (bytes > MOST_BLOCK_BYTES) refuse.announcement_too_big({ bytes });
    if (isBeyondSlots(outside, number)) refuse.announcement_beyond_slots({ number });
    peer.knownBlocks.add(id);
    if (number <= outside.view.head.irreversible || this.#isHere(id)) return;
    const want = this.#wanted.get(id) ?? this.#begin({ id, previous, bytes });
    claimed(peer, number, id, want === undefined);
    if (want === undefined) return;
    if (want.announcers.length < MOST_ANNOUNCERS && !want.announcers.includes(peer)) want.announcers.push(peer);
    this.#ask(want, this.#nowMs);
  }

  #begin({ id, previous, bytes }: Pick<Want, 'id' | 'previous' | 'bytes'>): Want | undefined {
    const isFollowed = this.#parts.outside.view.knows(previous) || this.#submitted.has(previous) || this.#wanted.has(previous);
    if (!isFollowed || this.#wanted.size >= MOST_WANTED) return undefined;
    const want = { id, previous, bytes, announcers: [], asked: undefined, dueMs: 0 };
    this.#wanted.set(id, want);
    return want;
  }

  #isHere(id: BlockId): boolean {
    return this.#submitted.has(id) || this.#refused.has(id) || this.#parts.outside.view.knows(id);
  }

  #ask(want: Want, nowMs: number, before?: Peer): void {
    if (want.asked !== undefined || want.dueMs > nowMs || this.#submitted.size >= MOST_SUBMITTED) return;
    // Whoever comes to us by himself can't keep a block from us alone.
    const peer = (before?.pipe.isInbound === true ? want.announcers.find(({ pipe }) => !pipe.isInbound) : undefined) ?? want.announcers[0];
    if (peer === undefined) return void this.#wanted.delete(want.id);
    want.asked = { peer, atMs: nowMs, receivedBefore: receivedBy(peer) };
    this.#asked.add(want.id);
    peer.ask(blockRequest, { id: want.id, form: WHOLE }, block);
  }

  #giveUpOn(want: Want, { peer, receivedBefore }: NonNullable<Want['asked']>): void {
    peer.offend('timeout', 'a block did not come in time');
    // A slow link is no lie.
    if (receivedBy(peer) === receivedBefore) peer.offend('announced_in_vain', 'a block was announced and did not come');
    this.#askAnother(want, peer);
  }

  #miss(peer: Peer, id: BlockId): void {
    const want = this.#wanted.get(id);
    peer.unanswered(block);
    if (want?.asked?.peer === peer) this.#askAnother(want, peer);
  }

  #askAnother(want: Want, peer: Peer): void {
    remove(want.announcers, peer);
    want.asked = undefined;
    this.#ask(want, this.#nowMs, peer);
  }

  #take(peer: Peer, packed: Uint8Array): void {
    const summary = summaryOf(packed);
    if (!this.#asked.has(summary.id)) return peer.offend('body_unasked', 'another block than was asked for');
    peer.knownBlocks.add(summary.id);
    const want = this.#wanted.get(summary.id);
    if (want === undefined || this.#isHere(summary.id)) return;
    if (this.#isTooEarly(want, summary) || this.#isTwin(summary)) return;
    this.#wanted.delete(summary.id);
    this.#noteDelay('received', summary.header.timestamp);
    this.#submit(peer, packed, summary);
  }

  /** A block from the future is asked for again when its time comes: so nothing is held, whoever makes such blocks. */
  #isTooEarly(want: Want, { id, header }: BlockSummary): boolean {
    const waitMs = waitForTime(this.#parts.outside, header.timestamp);
    if (waitMs === 0) return false;
    want.asked = undefined;
    want.dueMs = this.#nowMs + waitMs;
    if (waitMs > LONGEST_WAIT_MS) this.#wanted.delete(id);
    return true;
  }

  /** Of a witness that signs many blocks for a slot two are kept; others come by ranges when somebody has built on them. */
  #isTwin({ id, header: { witness, timestamp } }: BlockSummary): boolean {
    if ((this.#blocksOfSlot.get(`${timestamp} ${witness}`) ?? 0) < MOST_TWINS) return false;
    this.#wanted.delete(id);
    return true;
  }

  /** The witness of the slot has signed it, whatever is in it: what anybody else makes up takes no place of what it has signed. */
  #noteSigned({ header: { witness, timestamp } }: BlockSummary): void {
    const slot = `${timestamp} ${witness}`;
    this.#blocksOfSlot.set(slot, (this.#blocksOfSlot.get(slot) ?? 0) + 1);
    if (this.#blocksOfSlot.size <= SLOTS_REMEMBERED) return;
    for (const oldest of this.#blocksOfSlot.keys()) return void this.#blocksOfSlot.delete(oldest);
  }

  #noteDelay(stage: 'received' | 'applied', time: number): void {
    const { counts, outside } = this.#parts;
    if (outside.view.slots !== undefined) counts.blockCame(stage, outside.clock.nowMs() - time * 1000);
  }

  #submit(peer: Peer, packed: Uint8Array, summary: BlockSummary): void {
    const { id, number } = summary;
    if (this.#submittedBytes + packed.length > MOST_SUBMITTED_BYTES) return;
    this.#submitted.add(id);
    this.#submittedBytes += packed.length;
    const isAhead = number > this.#parts.outside.view.head.number;
    this.#parts.outside.intake.submitBlocks([packed], ([outcome]) => {
      this.#submitted.delete(id);
      this.#submittedBytes -= packed.length;
      if (outcome?.kind === 'taken') this.#noteTaken(peer, summary, isAhead);
      if (outcome?.kind === 'refused') this.#refuse(peer, summary, outcome);
      if (outcome?.kind === 'unlinkable') this.#parts.claimed(peer, number, id, true);
    });
  }

  #noteTaken(peer: Peer, summary: BlockSummary, isAhead: boolean): void {
    this.#noteSigned(summary);
    if (!isAhead) return;
    peer.deliveries++;
    peer.score.earn(this.#nowMs);
    this.#parts.delivered(peer);
  }

  #refuse(peer: Peer, summary: BlockSummary, { fault, reason }: Extract<BlockOutcome, { kind: 'refused' }>): void {
    this.#refused.add(summary.id);
    if (fault === 'nobody') this.#noteSigned(summary);
    if (fault === 'sender') peer.offend('lie', reason);
    if (fault === 'branch') peer.offend('doubtful_block', reason);
  }

  #announce(id: BlockId): void {
    const packed = this.#find(id);
    if (packed === undefined) return;
    const { header, transactions } = summaryOf(packed);
    const bytes = blockAnnouncement.encode({ id, previous: header.previous, transactions, bytes: packed.length });
    for (const peer of this.#parts.live()) {
      if (peer.knownBlocks.has(id)) continue;
      peer.knownBlocks.add(id);
      peer.channel.sendEncoded(blockAnnouncement, bytes);
    }
  }

  #give(peer: Peer, id: BlockId, form: number): void {
    const packed = form === WHOLE && !peer.isBusy ? this.#find(id) : undefined;
    if (packed === undefined) return peer.send(unavailable, { kind: messageNumber(block), id });
    peer.knownBlocks.add(id);
    peer.channel.sendEncoded(block, packed);
  }

  #find(id: BlockId): Uint8Array | undefined {
    const { view } = this.#parts.outside;
    const known = this.#recent.get(id);
    const number = blockNumberOf(id);
    if (known !== undefined || number + SERVED_DEPTH <= view.head.number || view.idAt(number) !== id) return known;
    const packed = view.packedAt(number);
    if (packed !== undefined) this.#recent.put(id, packed);
    return packed;
  }

  get #nowMs(): number {
    return this.#parts.outside.clock.elapsedMs();
  }
}

function receivedBy({ channel: { receivedBytes } }: Peer): number {
  return receivedBytes[1] + receivedBytes[3];
}

function remove(peers: Peer[], peer: Peer): void {
  const at = peers.indexOf(peer);
  if (at >= 0) peers.splice(at, 1);
}
