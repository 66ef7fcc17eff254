import { ClaimEvidence } from './claim_evidence.ts';
import { Contest, type ContestReport } from './contest.ts';
import { FollowedChain, type FollowedBlock } from './followed_chain.ts';
import type { Status } from './messages/status.ts';
import type { Outside } from './outside.ts';
import type { Claim, PeerClaims } from './peer_claims.ts';
import type { Peer } from './peer.ts';
import { clockDifferenceMs, medianClockAheadMs } from './peer_clocks.ts';
import { peersInStep } from './peers_in_step.ts';
import type { Voices } from './voices.ts';
import type { NodeId } from './wire_values.ts';

/** How a node stands to the others: nobody there, catching up, following, or unable to tell which chain is the right one. */
export type SyncState = 'alone' | 'behind' | 'live' | 'contested';

export interface StandingParts {
  readonly outside: Outside;
  readonly voices: Voices;
  readonly claims: PeerClaims;
  readonly live: () => readonly Peer[];
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  /** What an earlier run has followed. */
  readonly followed: FollowedBlock | undefined;
}

/** Claims of blocks of which nothing has come. */
export interface UnprovedClaims {
  readonly peers: number;
  /** How many blocks above the head the highest of them claims. */
  readonly blocks: number;
}

const BEHIND_BLOCKS = 2; // one is on its way
/** A head of the last two slots has been signed just now: whoever claims more has to deliver it. */
const NEW_SLOTS = 2;

/**
 * Decides whether a node is behind, contested or synced, and what its clock is worth. Everything else asks here. Evidence is what witnesses have
 * signed and this chain has taken, several voices (voices.ts), pinned peers and checkpoints; a word of a stranger is none.
 */
export class Standing {
  readonly contest: Contest;
  readonly followed: FollowedChain;
  readonly #parts: StandingParts;
  readonly #evidence: ClaimEvidence;

  constructor(parts: StandingParts) {
    const { outside, voices, checkpoint, followed } = parts;
    this.#parts = parts;
    this.followed = new FollowedChain(outside.view, followed);
    this.contest = new Contest({ outside, voices, followed: this.followed, checkpoint });
    this.#evidence = new ClaimEvidence({ view: outside.view, voices });
  }

  get state(): SyncState {
    if (this.contest.isOpen) return 'contested';
    if (this.#parts.claims.size === 0) return 'alone';
    return this.behindBy >= BEHIND_BLOCKS ? 'behind' : 'live';
  }

  /** Nothing is known to be missing, and nobody that counts contradicts what is here. */
  get isSynced(): boolean {
    return !this.contest.isOpen && this.behindBy < BEHIND_BLOCKS;
  }

  /** How many blocks are missing, as far as there is evidence. A head that was signed just now is worth more than any claim. */
  get behindBy(): number {
    if (this.isHeadNew === true) return 0;
    const { claims, outside } = this.#parts;
    const nowMs = this.#nowMs;
    const believed = claims.all().filter((claim) => this.#evidence.isBelieved(claim, nowMs));
    return Math.max(0, ...believed.map(({ number }) => number - outside.view.head.number));
  }

  /** Whether a witness has signed the head within the last two slots; undefined where the chain moves its own time. */
  get isHeadNew(): boolean | undefined {
    const { view, clock } = this.#parts.outside;
    return view.slots && clock.nowMs() - view.head.time * 1000 <= NEW_SLOTS * view.slots.intervalSeconds * 1000;
  }

  /** How many voices there are: address groups that this node has dialled, and nodes that its operator has named. */
  get voices(): number {
    return this.#speakers.length;
  }

  /** By how much the clocks of voices are ahead, however few there are; undefined without any. */
  get clockAheadMs(): number | undefined {
    return medianClockAheadMs(this.#speakers);
  }

  /** The same when there are enough voices to say that this machine's clock is wrong. */
  get clockDifferenceMs(): number | undefined {
    return clockDifferenceMs(this.#speakers);
  }

  /** Ids of all peers whose head is ours, or near it: for those who look for a node by its id. */
  get inStep(): NodeId[] {
    const { outside, live } = this.#parts;
    return peersInStep(outside.view, live());
  }

  /** The same of one peer for each voice: for those who count. */
  get sources(): NodeId[] {
    return peersInStep(this.#parts.outside.view, this.#speakers);
  }

  get contested(): ContestReport | undefined {
    return this.contest.report;
  }

  get unproved(): UnprovedClaims {
    const lapsed = this.#evidence.unproved(this.#parts.claims.all(), this.#nowMs);
    return { peers: lapsed.length, blocks: Math.max(0, ...lapsed) };
  }

  /** Whether nothing came of what the peer or its address group claimed: others are asked first. */
  isLapsed({ peer }: Pick<Claim, 'peer'>): boolean {
    return this.#evidence.isLapsed(peer, this.#nowMs);
  }

  /** False when the status contradicts what is final here; then the peer has been let go. */
  check(peer: Peer, status: Status): boolean {
    return this.contest.check(peer, status);
  }

  /** A peer has given a block above our head. Of a chain that goes on that is no sign that anything was missing. */
  delivered(peer: Peer): void {
    if (this.isHeadNew !== true) this.#evidence.delivered(peer, this.#nowMs);
  }

  left(peer: Peer): void {
    this.#evidence.left(peer);
    this.contest.left(peer);
  }

  tick(): void {
    const { claims } = this.#parts;
    const nowMs = this.#nowMs;
    this.#evidence.look(claims.all(), nowMs);
    this.contest.tick();
    this.followed.look(this.state === 'live' && this.voices > 0 && this.isHeadNew !== false, nowMs);
  }

  /** Asks voices for a block that one of them contradicts. */
  askContested(): void {
    this.contest.ask(this.#parts.live());
  }

  get #speakers(): Peer[] {
    return this.#parts.voices.speakers(this.#parts.live());
  }

  get #nowMs(): number {
    return this.#parts.outside.clock.elapsedMs();
  }
}
