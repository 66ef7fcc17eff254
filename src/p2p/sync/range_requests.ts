import type { PeerClaims } from './peer_claims.ts';
import { MOST_RANGE_BYTES } from '../../wire/messages/range_request.ts';
import type { Peer } from '../peers/peer.ts';
import type { Asked, Piece, RangePlan } from './range_plan.ts';

const MOST_PEERS = 4;
const OPEN_A_PEER = 2;
const AHEAD_BYTES = 64 * 1024 * 1024;
const FIRST_BYTE_MS = 3000;
const SLOWEST_BYTES_PER_MS = (64 * 1024) / 1000;
const SECOND_PEER_AFTER_MS = 2000;
const LEAST_RANGE_BLOCKS = 50;

/** Asks several peers at once for the pieces of a plan, and another one where one is late. */
export class RangeRequests {
  readonly #claims: PeerClaims;
  readonly #checkpoint: number;
  #requests = 0;

  constructor(claims: PeerClaims, checkpoint: number) {
    this.#claims = claims;
    this.#checkpoint = checkpoint;
  }

  /** Asks for as much as there is room for. */
  ask(plan: RangePlan, nowMs: number): void {
    const helpers = this.#helpers(plan, nowMs);
    const hasRoom = (): boolean => plan.bytes + MOST_RANGE_BYTES <= AHEAD_BYTES;
    for (const [index, piece] of plan.pieces.entries()) {
      // The first one is what all others wait for.
      if (piece.arrived === undefined && piece.asked.length === 0 && (index === 0 || hasRoom()))
        this.#askOne(plan, piece, helpers, nowMs);
    }
    while (plan.next <= plan.target && hasRoom()) {
      const peer = helpers.find((one) => plan.openRequests(one) < OPEN_A_PEER && this.#reaches(one, plan.next));
      if (peer === undefined) return;
      // Blocks below a checkpoint come on their own.
      const last = plan.next <= this.#checkpoint ? Math.min(this.#checkpoint, plan.target) : plan.target;
      const count = Math.min(this.#claims.of(peer)?.rangeBlocks ?? LEAST_RANGE_BLOCKS, last - plan.next + 1);
      const piece: Piece = { from: plan.next, count, asked: [], arrived: undefined };
      plan.pieces.push(piece);
      plan.ask(piece, peer, ++this.#requests, nowMs);
    }
  }

  /**
   * Gives up on who is late, and asks a second peer for what all others wait for; false when nothing is under way and
   * nobody can be asked.
   */
  checkLate(plan: RangePlan, nowMs: number, isChainBusy: boolean): boolean {
    for (const [index, piece] of plan.pieces.entries()) {
      if (piece.arrived !== undefined) continue;
      for (const asked of [...piece.asked])
        if (this.#isLate(asked, nowMs)) this.#giveUp(plan, piece, asked.peer, nowMs);
      const [only] = piece.asked;
      const holdsUp =
        index === 0 && piece.asked.length === 1 && only !== undefined && nowMs - only.atMs > SECOND_PEER_AFTER_MS;
      if (holdsUp && !isChainBusy) this.#askOne(plan, piece, this.#helpers(plan, nowMs), nowMs);
    }
    const isUnderWay = plan.pieces.some(({ asked, arrived }) => asked.length > 0 || arrived !== undefined);
    return isUnderWay || this.#helpers(plan, nowMs).length > 0;
  }

  #askOne(plan: RangePlan, piece: Piece, helpers: readonly Peer[], nowMs: number): void {
    const fits = (one: Peer): boolean =>
      plan.openRequests(one) < OPEN_A_PEER && !piece.asked.some(({ peer }) => peer === one);
    const able = helpers.filter((one) => fits(one) && this.#reaches(one, piece.from));
    const peer = able.find((one) => one !== piece.slighted) ?? able[0];
    if (peer !== undefined) plan.ask(piece, peer, ++this.#requests, nowMs);
  }

  #reaches(peer: Peer, number: number): boolean {
    return (this.#claims.of(peer)?.number ?? 0) >= number;
  }

  /**
   * The nearest of those who have what is missing; whose branch it is first, because the others may be on another one.
   */
  #helpers({ leader, excluded }: RangePlan, nowMs: number): Peer[] {
    const others = this.#claims
      .all()
      .filter(
        ({ peer, restsUntilMs }) => peer !== leader && peer.isLive && restsUntilMs <= nowMs && !excluded.has(peer),
      )
      .map(({ peer }) => peer)
      .toSorted((a, b) => (a.pingMs ?? Infinity) - (b.pingMs ?? Infinity));
    const isResting = (this.#claims.of(leader)?.restsUntilMs ?? 0) > nowMs;
    return [...(isResting ? [] : [leader]), ...others].slice(0, MOST_PEERS);
  }

  #isLate({ peer, atMs, receivedBefore }: Asked, nowMs: number): boolean {
    const received = peer.channel.receivedBytes[3] - receivedBefore;
    return nowMs - atMs > FIRST_BYTE_MS + received / SLOWEST_BYTES_PER_MS;
  }

  /** The peer is too slow for this many blocks: half of them from now on, after a rest. */
  #giveUp(plan: RangePlan, piece: Piece, peer: Peer, nowMs: number): void {
    plan.release(piece, peer);
    peer.offend('timeout', 'a range did not come in time');
    const claim = this.#claims.of(peer);
    if (claim === undefined) return;
    claim.rangeBlocks = Math.max(LEAST_RANGE_BLOCKS, Math.trunc(claim.rangeBlocks / 2));
    this.#claims.failed(peer, nowMs);
  }
}
