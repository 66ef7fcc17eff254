import type { BlockId } from '../../values/hash.ts';
import type { Peer } from '../peers/peer.ts';

/** The head that a peer claims for its main branch. */
export interface Claim {
  readonly peer: Peer;
  number: number;
  id: BlockId;
  /** Since when it claims more than we have and has delivered nothing of it. */
  sinceMs: number;
  /** It has announced a block that we can't follow, so it has others that we miss. */
  isUrgent: boolean;
  /** A block with a certificate that the peer has shown: its branch is wanted, however long it is. */
  certified?: BlockId;
  /** Not asked for anything before. */
  restsUntilMs: number;
  /** Failures since it last delivered something. */
  failures: number;
  /** Blocks that it is asked for at once. */
  rangeBlocks: number;
}

/** The time for which a peer is not asked after its branch, or its part of it, was unsuitable. */
export const UNSUITED_MS = 10 * 60_000;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

/** The claims of peers, and the choice of which to ask. `claim_evidence.ts` decides whether a claim counts. */
export class PeerClaims {
  readonly #claims = new Map<Peer, Claim>();
  readonly #mostBlocks: number;

  constructor(mostBlocks: number) {
    this.#mostBlocks = mostBlocks;
  }

  get size(): number {
    return this.#claims.size;
  }

  of(peer: Peer): Claim | undefined {
    return this.#claims.get(peer);
  }

  all(): Claim[] {
    return [...this.#claims.values()];
  }

  /** A later word counts, also when it says less. */
  note(peer: Peer, number: number, id: BlockId, ownHead: number, nowMs: number): Claim {
    const claim: Claim = this.#claims.get(peer) ?? {
      peer,
      number,
      id,
      sinceMs: nowMs,
      isUrgent: false,
      restsUntilMs: 0,
      failures: 0,
      rangeBlocks: this.#mostBlocks,
    };
    if (claim.number <= ownHead) claim.sinceMs = nowMs;
    claim.number = number;
    claim.id = id;
    claim.isUrgent = false;
    this.#claims.set(peer, claim);
    return claim;
  }

  /** The peer has given a block above our head. */
  delivered(peer: Peer, nowMs: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    claim.sinceMs = nowMs;
    claim.failures = 0;
  }

  /** The peer is not asked for anything before. */
  rest(peer: Peer, untilMs: number): void {
    const claim = this.#claims.get(peer);
    if (claim !== undefined) claim.restsUntilMs = Math.max(claim.restsUntilMs, untilMs);
  }

  /**
   * The peer has given nothing, or not in time: it rests, each time for longer. It may be starting, and the only one
   * there is.
   */
  failed(peer: Peer, nowMs: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    this.rest(peer, nowMs + Math.min(FIRST_REST_MS * 2 ** claim.failures, LONGEST_REST_MS));
    claim.failures++;
  }

  forget(peer: Peer): void {
    this.#claims.delete(peer);
  }
}
