import { present } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import { blockNumberOf, type BlockId } from '../values/hash.ts';
import type { BlockOutcome, ChainNews } from './chain_access.ts';
import { Claims, type Claim } from './claims.ts';
import type { FinalConflicts } from './final_conflicts.ts';
import type { MessageRouter } from './message_router.ts';
import { ancestor } from './messages/ancestor.ts';
import { ancestorRequest, MOST_ANCESTORS } from './messages/ancestor_request.ts';
import { range, rangeEnds, type Range } from './messages/range.ts';
import { MOST_RANGE_BLOCKS, MOST_RANGE_BYTES } from './messages/range_request.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import { reasons } from './reasons.ts';
import { RangePlan, type Arrived, type Asked, type Piece } from './range_plan.ts';
import { summaryOf } from './block_summary.ts';
import { waitForTime } from './slot_limits.ts';

const refuse = refusals({ ancestor_not_asked: 'block {number} is no common block that was asked for' });

/** How a node stands to the others: nobody there, catching up, following, or unable to tell which chain is the right one. */
export type SyncState = 'alone' | 'behind' | 'live' | 'contested';

/** A piece that has come. */
type Delivered = Piece & { readonly arrived: Arrived };

export interface SyncParts {
  readonly outside: Outside;
  readonly router: MessageRouter<Peer>;
  readonly conflicts: FinalConflicts;
}

const BEHIND_BLOCKS = 2; // one is on its way
const STATUSES_TO_START = 3;
const START_AFTER_MS = 2000;
/** A head that is one above ours comes by announcement; when it doesn't, it is asked for. */
const ONE_BLOCK_MS = 1500;
const ANCESTOR_MS = 2000;
const MOST_PEERS = 4;
const OPEN_A_PEER = 2;
const AHEAD_BYTES = 64 * 1024 * 1024;
const FIRST_BYTE_MS = 3000;
const SLOWEST_BYTES_PER_MS = (64 * 1024) / 1000;
const SECOND_PEER_AFTER_MS = 2000;
const REST_MS = 60_000;
const LEAST_RANGE_BLOCKS = 50;
const IN_VAIN_MS = 20_000;
const UNSUITED_MS = 10 * 60_000;
/** What is handed to the chain at once: the more, the fewer writes. */
const SUBMITTED_BYTES = 16 * 1024 * 1024;
const FAR_BEHIND_MS = 30_000;
const STALLED_SLOTS = 2;
const LIVE_AFTER_MS = 60_000; // by then every seed has been dialled several times

/** Fetches what we miss: finds where a peer's branch leaves ours, and asks several peers at once for what follows. */
export class Sync {
  readonly #outside: Outside;
  readonly #conflicts: FinalConflicts;
  readonly #claims = new Claims(MOST_RANGE_BLOCKS);
  #firstPeerMs: number | undefined;
  #search: { readonly peer: Peer; readonly ids: readonly BlockId[]; readonly atMs: number } | undefined;
  #plan: RangePlan | undefined;
  /** Whose blocks the chain is taking. */
  #submitted: readonly Peer[] = [];
  #requests = 0;
  #liveSinceMs: number | undefined;
  #hasBeenLive = false;

  constructor({ outside, router, conflicts }: SyncParts) {
    this.#outside = outside;
    this.#conflicts = conflicts;
    router.on(ancestor, (peer, { number }) => this.#takeAncestor(peer, number));
    router.on(range, (peer, value) => this.#takeRange(peer, value));
  }

  get state(): SyncState {
    if (this.#conflicts.isContested) return 'contested';
    if (this.#claims.size === 0) return 'alone';
    return this.behindBy >= BEHIND_BLOCKS ? 'behind' : 'live';
  }

  /** How many blocks are missing, by what believable peers say. */
  get behindBy(): number {
    const { head } = this.#outside.view;
    const nowMs = this.#nowMs;
    const heads = this.#claims
      .all()
      .filter((claim) => this.#claims.isBelieved(claim, head.number, nowMs))
      .map(({ number }) => number);
    return Math.max(0, ...heads.map((number) => number - head.number));
  }

  /** Our head is so old that nobody wants to hear of it: not by what others say, or a word of theirs could silence us. */
  get isFarBehind(): boolean {
    const { slots, head } = this.#outside.view;
    const isOld = slots === undefined || this.#outside.clock.nowMs() - head.time * 1000 > FAR_BEHIND_MS;
    return isOld && this.state === 'behind';
  }

  /** Bytes of blocks that have come or may come before the chain has taken those before them. */
  get aheadBytes(): number {
    return this.#plan?.bytes ?? 0;
  }

  /** A peer says where its chain stands. */
  moved(peer: Peer): void {
    const { status } = peer;
    if (status === undefined || !this.#conflicts.check(peer, status, this.#hasBeenLive)) return;
    this.#firstPeerMs ??= this.#nowMs;
    this.#claims.note(peer, status.head_number, status.head_id, this.#outside.view.head.number, this.#nowMs);
    if (this.#plan?.leader === peer) this.#plan.target = Math.max(this.#plan.target, status.head_number);
  }

  /** A peer has announced a block. */
  claimed(peer: Peer, number: number, id: BlockId, isUnlinkable: boolean): void {
    const before = this.#claims.of(peer);
    if (before === undefined || number < before.number) return;
    this.#claims.note(peer, number, id, this.#outside.view.head.number, this.#nowMs).isUrgent = isUnlinkable;
  }

  delivered(peer: Peer): void {
    this.#claims.delivered(peer, this.#nowMs);
  }

  left(peer: Peer): void {
    if (peer.farewell?.reason === reasons.other_final_block) this.#conflicts.toldBy(peer, this.#hasBeenLive);
    this.#claims.forget(peer);
    if (this.#search?.peer === peer) this.#search = undefined;
    if (this.#plan?.leader === peer) this.#plan = undefined;
    for (const piece of this.#plan?.pieces ?? []) if (piece.arrived === undefined) this.#plan?.release(piece, peer);
  }

  news({ undone }: ChainNews): void {
    // The chain may need longer for what came than a claim lasts.
    for (const peer of this.#submitted) this.#claims.delivered(peer, this.#nowMs);
    // What is under way may follow a block that is none of ours any more.
    if (undone.length > 0 && this.#plan !== undefined && !this.#isSubmitting) this.#plan = undefined;
  }

  tick(): void {
    this.#noteLive();
    if (this.#conflicts.isContested) return void (this.#plan = undefined);
    const nowMs = this.#nowMs;
    if (this.#search !== undefined && nowMs - this.#search.atMs > ANCESTOR_MS) this.#giveUpSearch(this.#search.peer);
    if (this.#plan !== undefined) this.#follow(this.#plan, nowMs);
    if (this.#plan === undefined && this.#search === undefined && !this.#isSubmitting && this.#hasStarted()) this.#begin(nowMs);
  }

  /** Those who connect first may all be liars, so being in step with them for a moment is not to have followed the chain. */
  #noteLive(): void {
    if (this.state !== 'live' || !this.#hasStarted()) return void (this.#liveSinceMs = undefined);
    this.#liveSinceMs ??= this.#nowMs;
    if (this.#nowMs - this.#liveSinceMs >= LIVE_AFTER_MS) this.#hasBeenLive = true;
  }

  get #isSubmitting(): boolean {
    return this.#submitted.length > 0;
  }

  #hasStarted(): boolean {
    if (this.#firstPeerMs === undefined) return false;
    return this.#claims.size >= STATUSES_TO_START || this.#nowMs - this.#firstPeerMs >= START_AFTER_MS;
  }

  /** Chooses whose branch is to be followed: the longest of which there is any hope. */
  #begin(nowMs: number): void {
    const wanted = this.#claims.all().filter((claim) => this.#isWanted(claim, nowMs));
    const [best] = wanted.toSorted((a, b) => b.number - a.number || (a.peer.pingMs ?? Infinity) - (b.peer.pingMs ?? Infinity));
    if (best === undefined) return;
    const ids = this.#ownIds();
    this.#search = { peer: best.peer, ids, atMs: nowMs };
    best.peer.ask(ancestorRequest, { ids }, ancestor);
  }

  #isWanted({ peer, number, id, sinceMs, isUrgent, restsUntilMs }: Claim, nowMs: number): boolean {
    const { view } = this.#outside;
    const { head } = view;
    if (!peer.isLive || restsUntilMs > nowMs || number <= head.irreversible || view.knows(id)) return false;
    if (number >= head.number + BEHIND_BLOCKS) return true;
    if (number > head.number) return isUrgent || nowMs - sinceMs > ONE_BLOCK_MS;
    return number === head.number && this.#isStalled();
  }

  /** Nobody makes blocks on our branch: another one of the same length may be the one that goes on. */
  #isStalled(): boolean {
    const { slots, head } = this.#outside.view;
    return slots !== undefined && this.#outside.clock.nowMs() - head.time * 1000 > STALLED_SLOTS * slots.intervalSeconds * 1000;
  }

  /** Ids at the head and 1, 2, 4 … below, down to the last irreversible block: below that nothing is ever undone. */
  #ownIds(): BlockId[] {
    const { view } = this.#outside;
    const { number, irreversible } = view.head;
    const numbers = [number];
    for (let step = 1; number - step > irreversible && numbers.length < MOST_ANCESTORS - 1; step *= 2) numbers.push(number - step);
    if (irreversible < number) numbers.push(irreversible);
    return numbers.filter((one) => one > 0).flatMap((one) => view.idAt(one) ?? []);
  }

  #giveUpSearch(peer: Peer): void {
    this.#search = undefined;
    peer.offend('timeout', 'no answer where our branches part');
    this.#rest(peer, REST_MS);
  }

  #takeAncestor(peer: Peer, number: number): void {
    const search = this.#search;
    if (search?.peer !== peer) return;
    this.#search = undefined;
    const id = search.ids.find((one) => blockNumberOf(one) === number);
    if (id === undefined && number !== 0) return void refuse.ancestor_not_asked({ number });
    const { view } = this.#outside;
    const claim = this.#claims.of(peer);
    if (claim === undefined) return;
    if (number === 0 && view.head.irreversible > 0) {
      // It has another block in the place of one that is final here, or is so young that it has none.
      if (claim.number >= view.head.irreversible) this.#conflicts.report(peer, view.head.irreversible, this.#hasBeenLive);
      return this.#rest(peer, UNSUITED_MS);
    }
    const start = id === undefined ? view.idAt(0) : id;
    if (start === undefined) return;
    this.#plan = new RangePlan(peer, { number, id: start }, claim.number);
    this.#follow(this.#plan, this.#nowMs);
  }

  #follow(plan: RangePlan, nowMs: number): void {
    this.#checkLate(plan, nowMs);
    if (this.#plan !== plan) return;
    this.#handOver(plan);
    if (this.#plan !== plan) return;
    this.#askForPieces(plan, nowMs);
    if (plan.isDone && !this.#isSubmitting) this.#end(plan);
  }

  #askForPieces(plan: RangePlan, nowMs: number): void {
    const helpers = this.#helpers(plan, nowMs);
    const hasRoom = (): boolean => plan.bytes + MOST_RANGE_BYTES <= AHEAD_BYTES;
    for (const [index, piece] of plan.pieces.entries()) {
      // The first one is what all others wait for.
      if (piece.arrived === undefined && piece.asked.length === 0 && (index === 0 || hasRoom())) this.#askOne(plan, piece, helpers, nowMs);
    }
    while (plan.next <= plan.target && hasRoom()) {
      const peer = helpers.find((one) => plan.openOf(one) < OPEN_A_PEER && this.#reaches(one, plan.next));
      if (peer === undefined) return;
      const count = Math.min(this.#claims.of(peer)?.rangeBlocks ?? LEAST_RANGE_BLOCKS, plan.target - plan.next + 1);
      const piece: Piece = { from: plan.next, count, asked: [], arrived: undefined };
      plan.pieces.push(piece);
      plan.ask(piece, peer, ++this.#requests, nowMs);
    }
  }

  #askOne(plan: RangePlan, piece: Piece, helpers: readonly Peer[], nowMs: number): boolean {
    const fits = (one: Peer): boolean => plan.openOf(one) < OPEN_A_PEER && !piece.asked.some(({ peer }) => peer === one);
    const able = helpers.filter((one) => fits(one) && this.#reaches(one, piece.from));
    const peer = able.find((one) => one !== piece.slighted) ?? able[0];
    if (peer !== undefined) plan.ask(piece, peer, ++this.#requests, nowMs);
    return peer !== undefined;
  }

  #reaches(peer: Peer, number: number): boolean {
    return (this.#claims.of(peer)?.number ?? 0) >= number;
  }

  /** The nearest of those who have what is missing; whose branch it is first, because the others may be on another one. */
  #helpers({ leader, excluded }: RangePlan, nowMs: number): Peer[] {
    const others = this.#claims
      .all()
      .filter(({ peer, restsUntilMs }) => peer !== leader && peer.isLive && restsUntilMs <= nowMs && !excluded.has(peer))
      .map(({ peer }) => peer)
      .toSorted((a, b) => (a.pingMs ?? Infinity) - (b.pingMs ?? Infinity));
    const isResting = (this.#claims.of(leader)?.restsUntilMs ?? 0) > nowMs;
    return [...(isResting ? [] : [leader]), ...others].slice(0, MOST_PEERS);
  }

  #checkLate(plan: RangePlan, nowMs: number): void {
    for (const [index, piece] of plan.pieces.entries()) {
      if (piece.arrived !== undefined) continue;
      for (const asked of [...piece.asked]) if (this.#isLate(asked, nowMs)) this.#giveUp(plan, piece, asked.peer);
      const [only] = piece.asked;
      const holdsUp = index === 0 && piece.asked.length === 1 && only !== undefined && nowMs - only.atMs > SECOND_PEER_AFTER_MS;
      if (holdsUp && !this.#isSubmitting) this.#askOne(plan, piece, this.#helpers(plan, nowMs), nowMs);
    }
    const canGoOn =
      plan.pieces.some(({ asked, arrived }) => asked.length > 0 || arrived !== undefined) || this.#helpers(plan, nowMs).length > 0;
    if (!canGoOn && !this.#isSubmitting) this.#end(plan);
  }

  #isLate({ peer, atMs, receivedBefore }: Asked, nowMs: number): boolean {
    const received = peer.channel.receivedBytes[3] - receivedBefore;
    return nowMs - atMs > FIRST_BYTE_MS + received / SLOWEST_BYTES_PER_MS;
  }

  /** Too slow for so much: half of it from now on, and a rest when that is too much, too. */
  #giveUp(plan: RangePlan, piece: Piece, peer: Peer): void {
    plan.release(piece, peer);
    peer.offend('timeout', 'a range did not come in time');
    const claim = this.#claims.of(peer);
    if (claim === undefined) return;
    claim.rangeBlocks = Math.max(LEAST_RANGE_BLOCKS, Math.trunc(claim.rangeBlocks / 2));
    this.#rest(peer, REST_MS);
  }

  #rest(peer: Peer, ms: number): void {
    const claim = this.#claims.of(peer);
    if (claim !== undefined) claim.restsUntilMs = Math.max(claim.restsUntilMs, this.#nowMs + ms);
  }

  #takeRange(peer: Peer, value: Range): void {
    const plan = this.#plan;
    const found = plan?.find(peer, value.number);
    // Somebody else was faster, or the plan is another one.
    if (plan === undefined || found === undefined || found.piece.arrived !== undefined) return;
    const { piece, asked } = found;
    if (value.blocks.length === 0) return this.#takeNothing(plan, piece, peer, value);
    plan.arrive(piece, asked, value);
    this.#follow(plan, this.#nowMs);
  }

  #takeNothing(plan: RangePlan, piece: Piece, peer: Peer, { end, retry_ms }: Range): void {
    plan.release(piece, peer);
    if (end === rangeEnds.busy) this.#rest(peer, Math.min(Math.max(retry_ms, 100), REST_MS));
    else if (end === rangeEnds.pruned) this.#rest(peer, UNSUITED_MS);
    // Its branch has changed meanwhile, or it had nothing more.
    else if (peer === plan.leader) this.#end(plan);
    else plan.excluded.add(peer);
  }

  /** Hands the first piece to the chain when it follows what was handed over before. One at a time: what comes meanwhile waits. */
  #handOver(plan: RangePlan): void {
    if (this.#isSubmitting) return;
    const pieces = plan.takeAll(SUBMITTED_BYTES);
    const [first] = pieces;
    if (first === undefined) return;
    if (first.arrived.previous !== plan.tip.id) return this.#discard(plan, first);
    const blocks = this.#ofThePast(pieces.flatMap(({ arrived }) => arrived.blocks));
    if (blocks.length === 0) return this.#end(plan);
    for (const { from, arrived } of pieces) {
      if (this.#outside.view.head.number < from) this.#claims.delivered(arrived.peer, this.#nowMs);
    }
    this.#submitted = pieces.map(({ arrived }) => arrived.peer);
    plan.tip = tipOf(blocks);
    this.#outside.intake.submitBlocks(blocks, (outcomes) => {
      this.#submitted = [];
      this.#settle(plan, pieces, outcomes);
    });
  }

  /** Times only grow, so the last ones are left out. */
  #ofThePast(blocks: readonly Uint8Array[]): readonly Uint8Array[] {
    let count = blocks.length;
    while (count > 0 && this.#isOfFuture(present(blocks[count - 1], 'a block'))) count--;
    return blocks.slice(0, count);
  }

  #isOfFuture(packed: Uint8Array): boolean {
    return waitForTime(this.#outside, summaryOf(packed).header.timestamp) > 0;
  }

  /** Two peers on two branches: nobody is to blame, and whose branch it is not helps no more. */
  #discard(plan: RangePlan, { from, count, arrived }: Delivered): void {
    if (arrived.peer === plan.leader) return this.#end(plan);
    plan.excluded.add(arrived.peer);
    plan.pieces.unshift({ from, count, asked: [], arrived: undefined });
  }

  #settle(plan: RangePlan, pieces: readonly Delivered[], outcomes: readonly BlockOutcome[]): void {
    const at = outcomes.findIndex(({ kind }) => kind === 'refused' || kind === 'unlinkable');
    const failed = outcomes[at];
    if (failed !== undefined) {
      this.#end(plan);
      return this.#blame(whoGave(pieces, at), failed);
    }
    plan.hasDelivered = true;
    if (this.#plan === plan) this.#follow(plan, this.#nowMs);
  }

  /** A plan that came to nothing is not begun again at once: others may have better ones. */
  #end(plan: RangePlan): void {
    if (this.#plan === plan) this.#plan = undefined;
    if (!plan.hasDelivered) this.#rest(plan.leader, IN_VAIN_MS);
  }

  #blame(peer: Peer, outcome: BlockOutcome): void {
    if (outcome.kind !== 'refused') return;
    if (outcome.fault === 'sender') peer.offend('lie', outcome.reason);
    else if (outcome.fault === 'branch') peer.offend('doubtful_block', outcome.reason);
    // It has applied what we can't: it goes by other rules, or we do.
    this.#rest(peer, UNSUITED_MS);
  }

  get #nowMs(): number {
    return this.#outside.clock.elapsedMs();
  }
}

/** Who gave the block at that place. */
function whoGave(pieces: readonly Delivered[], place: number): Peer {
  let before = 0;
  const piece = pieces.find(({ arrived }) => place < (before += arrived.blocks.length));
  return present(piece, 'the piece of a block').arrived.peer;
}

function tipOf(blocks: readonly Uint8Array[]): { readonly number: number; readonly id: BlockId } {
  const { number, id } = summaryOf(present(blocks.at(-1), 'a block'));
  return { number, id };
}
