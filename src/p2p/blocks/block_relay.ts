import { catchRefusal, refusals } from '../../base/refusal.ts';
import { blockId, type SignedBlockHeader } from '../../blocks/header.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import type { AnswerTurns } from '../peers/answer_turns.ts';
import type { ArrivingTransactions } from '../transactions/arriving_transactions.ts';
import { BlockHandover } from './block_handover.ts';
import { offerBlock } from './block_push.ts';
import { recognised, type RebuiltBlock } from './block_rebuild.ts';
import { BlockServer } from './block_server.ts';
import { summarizeBlock } from './block_summary.ts';
import type { BlockWant, SentBlock } from './block_want.ts';
import { BlockWants } from './block_wants.ts';
import type { ChainUpdate, HeaderOutcome } from '../environment/chain_access.ts';
import { CompactRelay } from './compact_relay.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import { block, MOST_BLOCK_BYTES, MOST_PUSHED_BYTES } from '../../wire/messages/block.ts';
import { blockAnnouncement, type BlockAnnouncement } from '../../wire/messages/block_announcement.ts';
import { compactBlock, type CompactBlock } from '../../wire/messages/compact_block.ts';
import { missing } from '../../wire/messages/missing.ts';
import { unavailable } from '../../wire/messages/unavailable.ts';
import type { NetworkCounts } from '../peers/network_counts.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import { SHORT_ID_BYTES } from '../../wire/short_ids.ts';
import { isBeyondSlots, waitForTime } from '../peers/slot_limits.ts';
import type { TransactionPool } from '../transactions/transaction_pool.ts';

const refuse = refusals({
  announcement_unlinked: 'block {id} does not follow {previous}',
  announcement_too_big: 'a block of {bytes} bytes is announced',
  announcement_beyond_slots: 'block {number} is announced, more than there have been slots',
});

/** The parts of the node that the relay calls. */
export interface BlockRelayParts {
  readonly environment: Environment;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  readonly turns: AnswerTurns;
  readonly pool: TransactionPool;
  readonly arriving: ArrivingTransactions;
  /** A peer has a block on its main branch; perhaps one that we can't follow from what we have. */
  readonly claimed: (peer: Peer, number: number, id: BlockId, isUnlinkable: boolean) => void;
  /** A peer has given a block above our head. */
  readonly delivered: (peer: Peer) => void;
  /** While it is, nobody wants to hear of our head. */
  readonly isBehind: () => boolean;
  readonly takesTransactions: boolean;
  readonly isTrusted: (peer: Peer) => boolean;
  readonly counts: NetworkCounts;
  /** Works, and counts the time by that name. */
  readonly spend: (what: string, work: () => void) => void;
}

/** The time for which the head is read for others before the thread takes received bytes. */
const SLICE_MS = 5;
/** By how much a whole block is longer than its short ids, about: for how long to wait for it. */
const USUAL_TRANSACTION_BYTES = 200;
/** Bytes that may wait of blocks whose headers were not checked yet. */
const MOST_SENT_BYTES = 16 * 1024 * 1024;
const LONGEST_WAIT_MS = 10_000; // a block from further in the future is no clock's mistake
/** A whole block up to here is read in this thread: 5 µs a transaction, so that what is known need not be verified. */
const MOST_READ_BYTES = 2 * 1024 * 1024;

/**
 * Blocks as they are made: pushed or announced, put together from the transactions that are known, passed on as soon as
 * header and transactions fit, then handed to the chain.
 */
export class BlockRelay {
  readonly #parts: BlockRelayParts;
  readonly #wanted: BlockWants;
  readonly #server: BlockServer;
  readonly #handover: BlockHandover;
  readonly #compact: CompactRelay;
  /** While our head is being read for others. */
  #cancelOffer: (() => void) | undefined;

  constructor(parts: BlockRelayParts) {
    this.#parts = parts;
    const { router } = parts;
    this.#server = new BlockServer(parts);
    const { environment, takesTransactions } = parts;
    this.#wanted = new BlockWants({ environment, takesTransactions, isFull: () => this.#handover.isFull });
    this.#compact = new CompactRelay({
      ...parts,
      wanted: this.#wanted,
      advance: (want) => this.#advance(want),
      rebuilt: (...found) => this.#relay(...found),
    });
    this.#handover = new BlockHandover({
      ...parts,
      wantAgain: (want, peer) => this.#wanted.again(want, peer),
      done: (id) => this.#advanceFollowers(id),
    });
    router.on(blockAnnouncement, (peer, announced) => this.#hear(peer, announced));
    router.on(compactBlock, (peer, compact) => this.#takeCompact(peer, compact));
    router.on(missing, (peer, found) => this.#compact.takeMissing(peer, found));
    router.on(block, (peer, packed) => this.#takeWhole(peer, packed));
    router.on(unavailable, (peer, { kind, id }) => this.#wanted.miss(peer, kind, id));
  }

  /** The number of blocks that this node waits for. */
  get wanted(): number {
    return this.#wanted.size;
  }

  /** Our chain has moved. */
  chainChanged({ applied, transactionIds, head }: ChainUpdate): void {
    for (const id of applied) this.#wanted.delete(id);
    const at = applied.indexOf(head.id);
    if (at < 0 || this.#parts.isBehind()) return;
    this.#parts.counts.noteDelay(this.#parts.environment, 'applied', head.time);
    this.#offer(head.id, this.#server.head(head.id, transactionIds?.[at]));
  }

  /** Offers our head as soon as it is read, unless another one comes before. */
  #offer(id: BlockId, read: ReturnType<BlockServer['head']>): void {
    const { environment, live, spend } = this.#parts;
    this.#cancelOffer?.();
    this.#cancelOffer = undefined;
    const served = read(this.#nowMs + SLICE_MS);
    if (served === 'later')
      this.#cancelOffer = environment.clock.after(0, () => spend('news', () => this.#offer(id, read)));
    if (served === 'later' || served === undefined) return;
    const { header, transactions } = summarizeBlock(served.packed);
    offerBlock(environment, live(), { ...served, id, previous: header.previous, transactions });
  }

  tick(): void {
    this.#wanted.tick();
  }

  left(peer: Peer): void {
    this.#wanted.left(peer);
  }

  #hear(peer: Peer, { id, previous, bytes }: BlockAnnouncement): void {
    const number = getBlockNumber(id);
    if (getBlockNumber(previous) + 1 !== number) refuse.announcement_unlinked({ id, previous });
    if (bytes > MOST_BLOCK_BYTES) refuse.announcement_too_big({ bytes });
    const want = this.#wantBlock(peer, { id, previous, bytes });
    if (want !== undefined) this.#wanted.ask(want);
  }

  /** A peer has a block; undefined when it is here, or when nobody can follow it. */
  #wantBlock(
    peer: Peer,
    described: { readonly id: BlockId; readonly previous: BlockId; readonly bytes: number },
  ): BlockWant | undefined {
    const { id } = described;
    const { environment, claimed, isTrusted } = this.#parts;
    const number = getBlockNumber(id);
    if (isBeyondSlots(environment, number)) refuse.announcement_beyond_slots({ number });
    peer.knownBlocks.add(id);
    if (number <= environment.view.head.irreversible || this.#handover.isHere(id)) return undefined;
    const isFollowed = environment.view.knows(described.previous) || this.#handover.isSubmitted(described.previous);
    const want = this.#wanted.get(id) ?? this.#wanted.begin(described, isFollowed);
    claimed(peer, number, id, want === undefined);
    want?.addAnnouncer(peer);
    if (want !== undefined && isTrusted(peer) && peer.vouches) want.isVouchedFor = true;
    return want;
  }

  #takeCompact(peer: Peer, { header, shortIds }: CompactBlock): void {
    const bytes = (shortIds.length / SHORT_ID_BYTES) * USUAL_TRANSACTION_BYTES;
    this.#takeSent({ id: blockId(header), bytes }, { peer, header, shortIds, atMs: this.#nowMs });
  }

  #takeWhole(peer: Peer, packed: Uint8Array): void {
    const { id, header } = summarizeBlock(packed);
    const isAsked = this.#wanted.wasAsked(id) || packed.length <= MOST_PUSHED_BYTES;
    if (!isAsked) return peer.offend('body_unasked', 'another block than was asked for');
    this.#takeSent({ id, bytes: packed.length }, { peer, header, packed, atMs: this.#nowMs });
  }

  #takeSent({ id, bytes }: { readonly id: BlockId; readonly bytes: number }, sent: SentBlock): void {
    const want = this.#wantBlock(sent.peer, { id, previous: sent.header.previous, bytes });
    if (want === undefined) return;
    const isAnswer = want.asked?.peer === sent.peer && (sent.packed !== undefined || want.asked.what === 'compact');
    if (isAnswer) want.asked = undefined;
    if (this.#isTooEarly(want, sent.header)) return;
    if (this.#handover.isTwin(id, sent.header)) return this.#wanted.delete(id);
    const held = this.#wanted.sentBytes;
    if (held <= MOST_SENT_BYTES && want.addSent(sent)) this.#advance(want);
  }

  /** The node asks again for a block from the future when its time comes, and holds none meanwhile. */
  #isTooEarly(want: BlockWant, { timestamp }: SignedBlockHeader): boolean {
    const waitMs = waitForTime(this.#parts.environment, timestamp);
    if (waitMs === 0) return false;
    want.dueMs = this.#nowMs + waitMs;
    if (waitMs > LONGEST_WAIT_MS) this.#wanted.delete(want.id);
    return true;
  }

  /** Goes on with what has come: first whether the witness has signed it, which costs one signature. */
  #advance(want: BlockWant): void {
    const [sent] = want.sent;
    if (sent === undefined) return this.#wanted.ask(want);
    if (want.header === 'unknown') return this.#judge(want, sent);
    if (want.header === 'judging') return;
    // A whole block needs nothing more.
    const next =
      want.sent.find(({ packed }) => packed !== undefined) ?? (want.rebuild === undefined ? sent : undefined);
    if (next === undefined) return;
    want.sent = want.sent.filter((one) => one !== next);
    if (next.packed !== undefined) this.#tryWhole(want, next, next.packed);
    else if (next.shortIds !== undefined) this.#compact.begin(want, next, next.shortIds);
  }

  #judge(want: BlockWant, { peer, header }: SentBlock): void {
    // The parent is on its way to the chain.
    if (this.#handover.isSubmitted(want.previous)) return;
    want.header = 'judging';
    this.#parts.environment.intake.judgeHeader(header, (outcome) => {
      if (this.#wanted.get(want.id) === want) this.#takeJudgement(want, peer, header, outcome);
    });
  }

  #takeJudgement(want: BlockWant, peer: Peer, header: SignedBlockHeader, outcome: HeaderOutcome): void {
    if (outcome.kind !== 'right') {
      this.#wanted.delete(want.id);
      this.#handover.refuse(peer, want.id, header, outcome);
      return;
    }
    want.header = 'right';
    want.signer = outcome.signer;
    want.isProven = outcome.isProven;
    // A block whose signer is unknown is no twin of another.
    if (want.isProven) this.#handover.noteSigned(want.id, header);
    this.#parts.counts.noteDelay(this.#parts.environment, 'header', header.timestamp);
    this.#advance(want);
  }

  #tryWhole(want: BlockWant, { peer, header }: SentBlock, packed: Uint8Array): void {
    if (packed.length > MOST_READ_BYTES) {
      this.#wanted.delete(want.id);
      return this.#handover.submitUnread(want, peer, header, packed);
    }
    let built: RebuiltBlock | undefined;
    const refusal = catchRefusal(() => {
      built = recognised(packed, this.#parts.pool);
    });
    if (built?.id === want.id) return this.#relay(want, peer, built);
    peer.offend('lie', refusal?.message ?? 'another body than its header says');
    this.#wanted.askAnother(want, peer);
  }

  /** All of it is here, and is what its witness has signed: others get it before it is applied. */
  #relay(want: BlockWant, peer: Peer, built: RebuiltBlock): void {
    const { environment, isBehind, live, counts } = this.#parts;
    const { id, header, transactions } = built;
    this.#wanted.delete(id);
    counts.noteDelay(environment, 'received', header.timestamp);
    const served = this.#server.put(built);
    // Peers that trust this node get the block when our chain has applied it.
    const others = live().filter(({ takesWords }) => !takesWords);
    if (want.isProven && header.previous === environment.view.head.id && !isBehind())
      offerBlock(environment, others, { ...served, id, previous: header.previous, transactions: transactions.length });
    this.#handover.submit(want, peer, built);
  }

  #advanceFollowers(id: BlockId): void {
    for (const want of this.#wanted.after(id)) this.#advance(want);
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}
