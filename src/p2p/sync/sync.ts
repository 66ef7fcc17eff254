import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import { BranchSearch } from './branch_search.ts';
import type { ChainUpdate } from '../environment/chain_access.ts';
import { UNSUITED_MS, type Claim, type PeerClaims } from './peer_claims.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import { ancestor } from '../../wire/messages/ancestor.ts';
import { range, rangeEnds, type Range } from '../../wire/messages/range.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import { RangeDelivery } from './range_delivery.ts';
import { RangeHandover, type RefusedGift } from './range_handover.ts';
import { RangePlan, type Piece } from './range_plan.ts';
import { RangeRequests } from './range_requests.ts';
import { reasons } from '../../wire/reasons.ts';
import { BEHIND_BLOCKS, type Standing } from './standing.ts';

export interface SyncParts {
  readonly environment: Environment;
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  /** True if the operator takes the peer's word for who signed transactions. */
  readonly isTrusted: (peer: Peer) => boolean;
  readonly router: MessageRouter<Peer>;
  readonly claims: PeerClaims;
  readonly standing: Standing;
}

const STATUSES_TO_START = 3;
const START_AFTER_MS = 2000;
/** A head that is one above ours comes by announcement; when it doesn't, it is asked for. */
const ONE_BLOCK_MS = 1500;
const LONGEST_BUSY_MS = 60_000;
const FAR_BEHIND_MS = 30_000;
const STALLED_SLOTS = 2;

/** Fetches what we miss: finds where a peer's branch leaves ours, and asks several peers at once for what follows. */
export class Sync {
  readonly #environment: Environment;
  readonly #standing: Standing;
  readonly #claims: PeerClaims;
  readonly #search: BranchSearch;
  readonly #requests: RangeRequests;
  readonly #delivery: RangeDelivery;
  readonly #handover: RangeHandover;
  #firstPeerMs: number | undefined;
  #plan: RangePlan | undefined;

  constructor({ environment, checkpoint, isTrusted, router, claims, standing }: SyncParts) {
    this.#environment = environment;
    this.#standing = standing;
    this.#claims = claims;
    const handover = new RangeHandover(environment);
    this.#handover = handover;
    this.#search = new BranchSearch({
      environment,
      claims,
      found: (peer, tip) => this.#startPlan(peer, tip),
      conflicts: (peer, number) => standing.contest.contradicted(peer, number),
    });
    this.#requests = new RangeRequests(claims, checkpoint);
    this.#delivery = new RangeDelivery({
      ...{ environment, checkpoint, isTrusted, handover },
      delivered: (peer) => this.delivered(peer),
      ended: (plan) => this.#end(plan),
      handedOver: (plan, refused) => this.#finish(plan, refused),
    });
    router.on(ancestor, (peer, { number }) => {
      if (!standing.contest.takeAncestor(peer, number)) this.#search.take(peer, number);
    });
    router.on(range, (peer, value) => this.#takeRange(peer, value));
  }

  /**
   * Our head is so old that nobody wants to hear of it: not by what others say, or a word of theirs could silence us.
   */
  get isLagging(): boolean {
    const { slots, head } = this.#environment.view;
    const isOld = slots === undefined || this.#environment.clock.nowMs() - head.time * 1000 > FAR_BEHIND_MS;
    return isOld && this.#standing.state === 'behind';
  }

  /** Bytes of blocks that have come or may come before the chain has taken those before them. */
  get aheadBytes(): number {
    return this.#plan?.bytes ?? 0;
  }

  /** A peer says where its chain stands. */
  moved(peer: Peer): void {
    const { status } = peer;
    if (status === undefined || !this.#standing.check(peer, status)) return;
    this.#firstPeerMs ??= this.#nowMs;
    this.#claims.note(peer, status.head_number, status.head_id, this.#environment.view.head.number, this.#nowMs);
    if (this.#plan?.leader === peer) this.#plan.target = Math.max(this.#plan.target, status.head_number);
  }

  /** A peer has announced a block. */
  claimed(peer: Peer, number: number, id: BlockId, isUnlinkable: boolean): void {
    const before = this.#claims.of(peer);
    if (before === undefined || number < before.number) return;
    this.#claims.note(peer, number, id, this.#environment.view.head.number, this.#nowMs).isUrgent = isUnlinkable;
  }

  /** A message of the peer implies a longer chain: its last status counts without an announcement. */
  hinted(peer: Peer): void {
    const claim = this.#claims.of(peer);
    if (claim !== undefined) claim.isUrgent = true;
  }

  /**
   * A peer has shown the certificate of a block. If the block is not here, the peer's branch is fetched, even if it is
   * shorter than ours.
   */
  certified(peer: Peer, id: BlockId): void {
    const claim = this.#claims.of(peer);
    if (claim !== undefined && this.#isMissing(id)) claim.certified = id;
  }

  delivered(peer: Peer): void {
    this.#claims.delivered(peer, this.#nowMs);
    this.#standing.delivered(peer);
  }

  left(peer: Peer): void {
    if (peer.farewell?.reason === reasons.other_final_block) this.#standing.contest.noteClaim(peer);
    this.#claims.forget(peer);
    this.#standing.left(peer);
    this.#search.left(peer);
    if (this.#plan?.leader === peer) this.#plan = undefined;
    for (const piece of this.#plan?.pieces ?? []) if (piece.arrived === undefined) this.#plan?.release(piece, peer);
  }

  chainChanged({ undone }: ChainUpdate): void {
    // The blocks under way may follow a block that left our main branch.
    if (undone.length > 0 && this.#plan !== undefined && !this.#handover.isBusy) this.#plan = undefined;
  }

  tick(): void {
    this.#standing.tick();
    this.#search.tick();
    // An answer says nothing of its question, so only one of a peer may be open.
    if (!this.#search.isOpen) this.#standing.askContested();
    if (this.#standing.contest.isOpen) return void (this.#plan = undefined);
    const nowMs = this.#nowMs;
    // The chain may need longer for what came than a claim lasts.
    for (const peer of this.#handover.givers) this.delivered(peer);
    if (this.#plan !== undefined) this.#follow(this.#plan, nowMs);
    const isAtRest = this.#plan === undefined && !this.#search.isOpen && !this.#handover.isBusy;
    if (this.#handover.isTired || (isAtRest && this.#handover.isWaiting)) this.#takeWaiting();
    else if (isAtRest && this.#hasStarted()) this.#begin(nowMs);
  }

  #hasStarted(): boolean {
    if (this.#firstPeerMs === undefined) return false;
    return this.#claims.size >= STATUSES_TO_START || this.#nowMs - this.#firstPeerMs >= START_AFTER_MS;
  }

  /**
   * Chooses whose branch is to be followed: the longest of which there is any hope, of those whose claims came true
   * before the others.
   */
  #begin(nowMs: number): void {
    const wanted = this.#claims.all().filter((claim) => this.#isWanted(claim, nowMs));
    const honest = wanted.filter((claim) => !this.#standing.isLapsed(claim));
    const [best] = (honest.length > 0 ? honest : wanted).toSorted(
      (a, b) =>
        Number(this.#isMissing(b.certified)) - Number(this.#isMissing(a.certified)) ||
        b.number - a.number ||
        (a.peer.pingMs ?? Infinity) - (b.peer.pingMs ?? Infinity),
    );
    if (best !== undefined) this.#search.begin(best.peer);
  }

  #isWanted({ peer, number, id, sinceMs, isUrgent, certified, restsUntilMs }: Claim, nowMs: number): boolean {
    const { view } = this.#environment;
    const { head } = view;
    if (!peer.isLive || this.#standing.contest.isAsking(peer) || restsUntilMs > nowMs || number <= head.irreversible)
      return false;
    if (this.#isMissing(certified)) return true;
    if (view.knows(id)) return false;
    if (number >= head.number + BEHIND_BLOCKS) return true;
    if (number > head.number) return isUrgent || nowMs - sinceMs > ONE_BLOCK_MS;
    return number === head.number && this.#isStalled();
  }

  #isMissing(certified: BlockId | undefined): boolean {
    const { view } = this.#environment;
    return certified !== undefined && getBlockNumber(certified) > view.head.irreversible && !view.knows(certified);
  }

  /** Nobody makes blocks on our branch: another one of the same length may be the one that goes on. */
  #isStalled(): boolean {
    const { slots, head } = this.#environment.view;
    return (
      slots !== undefined &&
      this.#environment.clock.nowMs() - head.time * 1000 > STALLED_SLOTS * slots.intervalSeconds * 1000
    );
  }

  #startPlan(leader: Peer, tip: { readonly number: number; readonly id: BlockId }): void {
    const claim = this.#claims.of(leader);
    if (claim === undefined) return;
    this.#plan = new RangePlan(leader, tip, claim.number);
    this.#follow(this.#plan, this.#nowMs);
  }

  #follow(plan: RangePlan, nowMs: number): void {
    const canGoOn = this.#requests.checkLate(plan, nowMs, this.#handover.isBusy);
    if (!canGoOn && !this.#handover.isBusy) this.#end(plan);
    if (this.#plan !== plan) return;
    this.#delivery.deliver(plan, nowMs);
    if (this.#plan !== plan) return;
    this.#requests.ask(plan, nowMs);
    if (plan.isDone && !this.#handover.isBusy) this.#end(plan);
  }

  #rest(peer: Peer, ms: number): void {
    this.#claims.rest(peer, this.#nowMs + ms);
  }

  #takeRange(peer: Peer, value: Range): void {
    const plan = this.#plan;
    const found = plan?.find(peer, value.number);
    // Somebody else was faster, or the plan is another one.
    if (plan === undefined || found === undefined || found.piece.arrived !== undefined) return;
    const { piece, asked } = found;
    if (value.blocks.length === 0) return this.#takeNothing(plan, piece, peer, value);
    plan.arrive(piece, asked, value, this.#nowMs);
    this.#follow(plan, this.#nowMs);
  }

  #takeNothing(plan: RangePlan, piece: Piece, peer: Peer, { end, retry_ms }: Range): void {
    plan.release(piece, peer);
    if (end === rangeEnds.busy) this.#rest(peer, Math.min(Math.max(retry_ms, 100), LONGEST_BUSY_MS));
    else if (end === rangeEnds.pruned) this.#rest(peer, UNSUITED_MS);
    // Its branch has changed meanwhile, or it had nothing more.
    else if (peer === plan.leader) this.#end(plan);
    else plan.excluded.add(peer);
  }

  #finish(plan: RangePlan, refused: RefusedGift | undefined): void {
    if (refused !== undefined) {
      this.#end(plan);
      return this.#blame(refused);
    }
    plan.hasDelivered = true;
    if (this.#plan === plan) this.#follow(plan, this.#nowMs);
  }

  /** Blocks that wait in the chain for later ones in vain are taken as they are. */
  #takeWaiting(): void {
    this.#handover.submit([], [], { isLast: true, isVouchedFor: false }, (refused) => this.#blame(refused));
  }

  /** A plan that came to nothing is not begun again at once: others may have better ones. */
  #end(plan: RangePlan): void {
    if (this.#plan === plan) this.#plan = undefined;
    if (!plan.hasDelivered) this.#claims.failed(plan.leader, this.#nowMs);
  }

  #blame(refused: RefusedGift | undefined): void {
    if (refused?.outcome.kind !== 'refused') return;
    const { peer, outcome } = refused;
    if (outcome.fault === 'sender') peer.offend('lie', outcome.reason);
    else if (outcome.fault === 'branch') peer.offend('doubtful_block', outcome.reason);
    // It has applied what we can't: it goes by other rules, or we do.
    this.#rest(peer, UNSUITED_MS);
  }

  get #nowMs(): number {
    return this.#environment.clock.elapsedMs();
  }
}
