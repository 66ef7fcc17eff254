import type { BlockId } from '../../values/hash.ts';
import { BlockWant, type Wanted } from './block_want.ts';
import { block } from '../../wire/messages/block.ts';
import { blockRequest, COMPACT, WHOLE } from '../../wire/messages/block_request.ts';
import { compactBlock } from '../../wire/messages/compact_block.ts';
import { messageNumber } from '../../wire/messages/index.ts';
import { missing } from '../../wire/messages/missing.ts';
import { missingRequest } from '../../wire/messages/missing_request.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import { RememberedIds } from '../peers/remembered_ids.ts';

export interface BlockWantsParts {
  readonly environment: Environment;
  readonly takesTransactions: boolean;
  /** True if the chain has enough to do. */
  readonly isFull: () => boolean;
}

const MOST_WANTED = 64; // blocks of one slot and of what follows it, with all their twins
const ASKED_REMEMBERED = 512;

/** The blocks that others have and this node has not: asks for each, and somebody else when nothing comes. */
export class BlockWants {
  readonly #parts: BlockWantsParts;
  readonly #wanted = new Map<BlockId, BlockWant>();
  readonly #asked = new RememberedIds(ASKED_REMEMBERED);

  constructor(parts: BlockWantsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#wanted.size;
  }

  /** Bytes that have come and were not tried. */
  get sentBytes(): number {
    return [...this.#wanted.values()].reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  }

  get(id: BlockId): BlockWant | undefined {
    return this.#wanted.get(id);
  }

  after(id: BlockId): BlockWant[] {
    return [...this.#wanted.values()].filter(({ previous }) => previous === id);
  }

  wasAsked(id: BlockId): boolean {
    return this.#asked.has(id);
  }

  /** Undefined when nobody can follow it, or when there are too many. */
  begin(described: Pick<BlockWant, 'id' | 'previous' | 'bytes'>, isFollowed: boolean): BlockWant | undefined {
    if (!(isFollowed || this.#wanted.has(described.previous)) || this.#wanted.size >= MOST_WANTED) return undefined;
    const want = new BlockWant(described);
    this.#wanted.set(want.id, want);
    return want;
  }

  delete(id: BlockId): void {
    this.#wanted.delete(id);
  }

  /** A peer gave something other than the block. */
  again(want: BlockWant, peer: Peer): void {
    this.#wanted.set(want.id, want);
    this.askAnother(want, peer);
  }

  tick(): void {
    const nowMs = this.#nowMs;
    for (const want of this.#wanted.values()) {
      if (want.asked === undefined) this.ask(want);
      else if (want.isLate(want.asked, nowMs)) this.#abandonPeer(want, want.asked);
    }
  }

  left(peer: Peer): void {
    for (const want of this.#wanted.values()) {
      want.dropAnnouncer(peer);
      if (want.asked?.peer === peer) want.asked = undefined;
      this.ask(want);
    }
  }

  /** Asks for what is not on its way, if anybody has it. */
  ask(want: BlockWant, before?: Peer): void {
    const isWaiting = want.header === 'judging' || (want.header === 'unknown' && want.sent.length > 0);
    if (isWaiting || want.asked !== undefined || want.dueMs > this.#nowMs || this.#parts.isFull()) return;
    const { announcers } = want;
    // Inbound peers alone can't keep a block from us.
    const outbound = before?.pipe.isInbound === true ? announcers.find(({ pipe }) => !pipe.isInbound) : undefined;
    this.requestBlock(want, outbound ?? announcers[0]);
  }

  /** The same of that peer. */
  requestBlock(want: BlockWant, peer: Peer | undefined): void {
    if (peer?.isLive !== true)
      return void (peer === undefined ? this.#wanted.delete(want.id) : this.askAnother(want, peer));
    const what = want.nextOf(peer, this.#parts.takesTransactions);
    want.noteAsked({ peer, what, atMs: this.#nowMs, receivedBefore: receivedByteCount(peer) });
    this.#asked.add(want.id);
    if (what === 'missing')
      peer.ask(missingRequest, { id: want.id, indexes: want.rebuild?.block.missing ?? [] }, missing);
    else if (what === 'compact') peer.ask(blockRequest, { id: want.id, form: COMPACT }, compactBlock);
    else peer.ask(blockRequest, { id: want.id, form: WHOLE }, block);
  }

  #abandonPeer(want: BlockWant, { peer, what, receivedBefore }: NonNullable<BlockWant['asked']>): void {
    peer.offend('timeout', 'a block did not come in time');
    // A slow link is no lie.
    if (what !== 'missing' && receivedByteCount(peer) === receivedBefore)
      peer.offend('announced_in_vain', 'a block was announced and did not come');
    this.askAnother(want, peer);
  }

  /** A peer says that it doesn't have what it was asked for. */
  miss(peer: Peer, kind: number, id: BlockId): void {
    const asked = ANSWERS.find(({ form }) => messageNumber(form) === kind);
    if (asked === undefined) return;
    peer.unanswered(asked.form);
    const want = this.#wanted.get(id);
    if (want?.asked?.peer !== peer || want.asked.what !== asked.what) return;
    if (asked.what === 'whole') return this.askAnother(want, peer);
    want.needWhole();
    want.asked = undefined;
    this.requestBlock(want, peer);
  }

  /** A peer will not send what it was asked for, or has sent something else. */
  askAnother(want: BlockWant, peer: Peer): void {
    want.dropAnnouncer(peer);
    want.asked = undefined;
    this.ask(want, peer);
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}

const ANSWERS = [
  { form: block, what: 'whole' },
  { form: compactBlock, what: 'compact' },
  { form: missing, what: 'missing' },
] as const satisfies readonly { readonly what: Wanted; readonly form: unknown }[];

function receivedByteCount({ channel: { receivedBytes } }: Peer): number {
  return receivedBytes[1] + receivedBytes[3];
}
